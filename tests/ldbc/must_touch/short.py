"""The short reads of the interactive workload, and the load-test query."""

from __future__ import annotations

from tests.ldbc.must_touch.graph import Node
from tests.ldbc.must_touch.walk import Parameters, Walk


def load(walk: Walk, parameters: Parameters) -> None:
    """Ten people of a first name, by last name; with studies, jobs and the places of all."""
    people = walk.seek("Person", "firstName", parameters["firstName"])
    walk.read(*people)
    for person in sorted(people, key=lambda person: str(person["lastName"]))[:10]:
        studies = walk.expand(person, "STUDY_AT", "out")
        jobs = walk.expand(person, "WORK_AT", "out") if studies else []
        if not jobs:
            continue
        walk.read(*walk.follow(person, "IS_LOCATED_IN", "out"))
        for relationship, organisation in (*studies, *jobs):
            walk.read(relationship, organisation)
            walk.read(*walk.follow(organisation, "IS_LOCATED_IN", "out"))


def short_1(walk: Walk, parameters: Parameters) -> None:
    for person in walk.seek("Person", "id", parameters["personId"]):
        walk.read(person, *walk.follow(person, "IS_LOCATED_IN", "out"))


def short_2(walk: Walk, parameters: Parameters) -> None:
    for person in walk.seek("Person", "id", parameters["personId"]):
        messages = walk.follow(person, "HAS_CREATOR", "in")
        walk.read(*messages)
        messages.sort(key=lambda message: (-message["creationDate"], message["id"]))
        for message in messages[:10]:
            for post in _posts_above(walk, message):
                walk.read(*walk.follow(post, "HAS_CREATOR", "out"))


def short_3(walk: Walk, parameters: Parameters) -> None:
    for person in walk.seek("Person", "id", parameters["personId"]):
        for relationship, friend in walk.expand(person, "KNOWS", "both"):
            walk.read(relationship, friend)


def short_4(walk: Walk, parameters: Parameters) -> None:
    walk.read(*walk.seek("Message", "id", parameters["messageId"]))


def short_5(walk: Walk, parameters: Parameters) -> None:
    for message in walk.seek("Message", "id", parameters["messageId"]):
        walk.read(*walk.follow(message, "HAS_CREATOR", "out"))


def short_6(walk: Walk, parameters: Parameters) -> None:
    for message in walk.seek("Message", "id", parameters["messageId"]):
        for post in _posts_above(walk, message):
            for forum in walk.having("Forum", walk.follow(post, "CONTAINER_OF", "in")):
                walk.read(*walk.follow(forum, "HAS_MODERATOR", "out"))


def short_7(walk: Walk, parameters: Parameters) -> None:
    for message in walk.seek("Message", "id", parameters["messageId"]):
        for comment in walk.having("Comment", walk.follow(message, "REPLY_OF", "in")):
            for replier in walk.having("Person", walk.follow(comment, "HAS_CREATOR", "out")):
                for author in walk.having("Person", walk.follow(message, "HAS_CREATOR", "out")):
                    walk.related(author, replier, "KNOWS")


def _posts_above(walk: Walk, message: Node) -> list[Node]:
    """Posts on the way up from a message: each on the way is read for its label, and asked
    whether it replies to something."""
    above = [message]
    for step in above:
        above.extend(walk.follow(step, "REPLY_OF", "out"))
    return walk.having("Post", above)
