"""Cypher values in Python.

null is None; BOOLEAN bool; INTEGER int (64 bits, checked by whoever computes); FLOAT float;
STRING str; LIST list; MAP dict with str keys; graph values are the classes of `graph`.
A node or relationship inside a query is a NodeRef / RelationshipRef (an id); it becomes a
Node / Relationship, with labels and properties, when a result is produced.
"""
