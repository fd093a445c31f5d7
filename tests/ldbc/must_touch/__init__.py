"""What each query has to touch, counted by hand from the data and never from a plan.

One function a query walks the pattern as a careful person would: it begins at what the
parameters name, takes the shortest order, and remembers what it has seen. The `Walk` counts each
thing once, however often it is looked at:

    an index or label entry    one for a value that finds nothing
    a relationship, from one of its ends    one for a node that has none of the kind asked for
    a pair of nodes looked up
    the record of a node or relationship: its labels and its properties together

Where two orders are open, both are walked and the smaller counts. What no order of the pattern
gives is not asked for: the walks do not stop early because an index happens to give the order of
an ORDER BY, and they do not know that all that carry a type have one label.
"""
