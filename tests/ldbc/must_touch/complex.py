"""The complex reads of the interactive workload."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from functools import partial

from tests.ldbc.must_touch.graph import Direction, Node
from tests.ldbc.must_touch.walk import Parameters, Walk, circle, shortest_paths


def _person(walk: Walk, parameters: Parameters, name: str = "personId") -> Node:
    [person] = walk.seek("Person", "id", parameters[name])
    return person


def _friends(walk: Walk, parameters: Parameters) -> list[Node]:
    """`(:Person {id: ...})-[:KNOWS]-(friend:Person)`"""
    person = _person(walk, parameters)
    return walk.having("Person", walk.follow(person, "KNOWS", "both"))


def _messages(walk: Walk, people: Iterable[Node], label: str) -> list[Node]:
    """What they wrote; each is read for its label, and with it for its properties."""
    return [
        message
        for person in people
        for message in walk.having(label, walk.follow(person, "HAS_CREATOR", "in"))
    ]


def complex_1(walk: Walk, parameters: Parameters) -> None:
    """The friends by path; then city, universities and companies of the nearest 20."""
    person = _person(walk, parameters)
    near: list[tuple[int, str, int, Node]] = []
    for friend in walk.seek("Person", "firstName", parameters["firstName"]):
        paths = shortest_paths(walk, person, friend, 3) if friend is not person else []
        if paths:
            walk.read(friend)
            near.append((len(paths[0]), friend["lastName"], friend["id"], friend))
    for *_, friend in sorted(near)[:20]:
        walk.read(*walk.follow(friend, "IS_LOCATED_IN", "out"))
        for type_ in ("STUDY_AT", "WORK_AT"):
            for relationship, organisation in walk.expand(friend, type_, "out"):
                walk.read(relationship, organisation)
                walk.read(*walk.follow(organisation, "IS_LOCATED_IN", "out"))


def complex_2(walk: Walk, parameters: Parameters) -> None:
    _messages(walk, _friends(walk, parameters), "Message")


def complex_3(walk: Walk, parameters: Parameters) -> None:
    """From the friends to their messages and on to the countries, or the other way round."""
    person = _person(walk, parameters)
    countries = [
        country
        for name in ("countryXName", "countryYName")
        for country in walk.seek("Country", "name", parameters[name])
    ]
    cities = {city for place in countries for city in walk.follow(place, "IS_PART_OF", "in")}
    walk.read(*cities)
    friends = {
        friend
        for friend in circle(walk, person)
        if cities.isdisjoint(walk.follow(friend, "IS_LOCATED_IN", "out"))
    }
    walk.include(
        [
            partial(_abroad_by_friend, parameters, friends),
            partial(_abroad_by_country, parameters, countries),
        ]
    )


def _within(message: Node, parameters: Parameters) -> bool:
    made = message["creationDate"]
    return made is not None and parameters["startDate"] <= made < parameters["endDate"]


def _abroad_by_friend(parameters: Parameters, friends: Iterable[Node], walk: Walk) -> None:
    for friend in friends:
        for message in walk.follow(friend, "HAS_CREATOR", "in"):
            walk.read(message)
            if _within(message, parameters):
                walk.follow(message, "IS_LOCATED_IN", "out")


def _abroad_by_country(parameters: Parameters, countries: Iterable[Node], walk: Walk) -> None:
    for country in countries:
        for message in walk.follow(country, "IS_LOCATED_IN", "in"):
            walk.read(message)
            if _within(message, parameters):
                walk.follow(message, "HAS_CREATOR", "out")


def complex_4(walk: Walk, parameters: Parameters) -> None:
    for post in _messages(walk, _friends(walk, parameters), "Post"):
        walk.read(*walk.follow(post, "HAS_TAG", "out"))


def complex_5(walk: Walk, parameters: Parameters) -> None:
    """Forums that the friends joined; then the posts in those, or all posts of the friends."""
    friends = circle(walk, _person(walk, parameters))
    forums: set[Node] = set()
    for friend in friends:
        for membership, forum in walk.expand(friend, "HAS_MEMBER", "in"):
            walk.read(membership)
            if membership["joinDate"] > parameters["minDate"]:
                forums.add(forum)
    walk.read(*forums)
    walk.include([partial(_posts_of_forums, forums), partial(_posts_of_people, friends)])


def _posts_of_forums(forums: Iterable[Node], walk: Walk) -> None:
    for forum in forums:
        for post in walk.follow(forum, "CONTAINER_OF", "out"):
            walk.follow(post, "HAS_CREATOR", "out")


def _posts_of_people(people: Iterable[Node], walk: Walk) -> None:
    for person in people:
        for post in walk.follow(person, "HAS_CREATOR", "in"):
            walk.follow(post, "CONTAINER_OF", "in")


def complex_6(walk: Walk, parameters: Parameters) -> None:
    """From the tag to its posts and their creators, or from the friends to posts and tags."""
    [tag] = walk.seek("Tag", "name", parameters["tagName"])
    walk.read(tag)
    friends = circle(walk, _person(walk, parameters))
    walk.include([partial(_tagged_by_friend, friends), partial(_tagged_by_tag, tag, set(friends))])


def _tagged_by_friend(friends: Iterable[Node], walk: Walk) -> None:
    for post in _messages(walk, friends, "Post"):
        walk.read(*walk.follow(post, "HAS_TAG", "out"))


def _tagged_by_tag(tag: Node, friends: set[Node], walk: Walk) -> None:
    for post in walk.having("Post", walk.follow(tag, "HAS_TAG", "in")):
        if not friends.isdisjoint(walk.follow(post, "HAS_CREATOR", "out")):
            walk.read(*walk.follow(post, "HAS_TAG", "out"))


def complex_7(walk: Walk, parameters: Parameters) -> None:
    person = _person(walk, parameters)
    for message in _messages(walk, [person], "Message"):
        for like, liker in walk.expand(message, "LIKES", "in"):
            walk.read(like, liker)
            walk.related(liker, person, "KNOWS")


def complex_8(walk: Walk, parameters: Parameters) -> None:
    for message in _messages(walk, [_person(walk, parameters)], "Message"):
        for comment in walk.having("Comment", walk.follow(message, "REPLY_OF", "in")):
            walk.read(*walk.follow(comment, "HAS_CREATOR", "out"))


def complex_9(walk: Walk, parameters: Parameters) -> None:
    friends = walk.having("Person", circle(walk, _person(walk, parameters)))
    _messages(walk, friends, "Message")


def complex_10(walk: Walk, parameters: Parameters) -> None:
    """Friends of friends who are no friends, with a birthday in time; then the tags of their
    posts, or what carries the tags that the person likes."""
    person = _person(walk, parameters)
    near = set(walk.follow(person, "KNOWS", "both"))
    others = [friend for friend in circle(walk, person) if friend not in near]
    walk.read(*others)
    fitting = [friend for friend in others if _birthday_fits(friend, parameters["month"])]
    for friend in fitting:
        walk.read(*walk.follow(friend, "IS_LOCATED_IN", "out"))
    posts = _messages(walk, fitting, "Post")
    interests = walk.follow(person, "HAS_INTEREST", "out")
    walk.include(
        [
            partial(_each_followed, posts, "HAS_TAG", "out"),
            partial(_each_followed, interests, "HAS_TAG", "in"),
        ]
    )


def _each_followed(nodes: Iterable[Node], type_: str, direction: Direction, walk: Walk) -> None:
    for node in nodes:
        walk.follow(node, type_, direction)


def _birthday_fits(person: Node, month: int) -> bool:
    born = datetime.fromtimestamp(person["birthday"] / 1000, UTC)
    if born.month == month:
        return born.day >= 21
    return born.month == month % 12 + 1 and born.day < 22


def complex_11(walk: Walk, parameters: Parameters) -> None:
    """From the friends to their companies and the country, or from its companies to workers."""
    friends = walk.having("Person", circle(walk, _person(walk, parameters)))
    [country] = walk.seek("Country", "name", parameters["countryName"])
    walk.include(
        [partial(_jobs_of_friends, parameters, friends), partial(_jobs_in_country, country)]
    )


def _jobs_of_friends(parameters: Parameters, friends: Iterable[Node], walk: Walk) -> None:
    for friend in friends:
        for job, company in walk.expand(friend, "WORK_AT", "out"):
            walk.read(job)
            if job["workFrom"] < parameters["workFromYear"]:
                walk.read(company)
                walk.follow(company, "IS_LOCATED_IN", "out")


def _jobs_in_country(country: Node, walk: Walk) -> None:
    for company in walk.having("Company", walk.follow(country, "IS_LOCATED_IN", "in")):
        for job, _ in walk.expand(company, "WORK_AT", "in"):
            walk.read(job)


def complex_12(walk: Walk, parameters: Parameters) -> None:
    """Tags by their own name and by that of a class above; then from friends to tags of the
    posts that they commented, or from the tags."""
    tags = _tags_named(walk, parameters["tagClassName"])
    friends = _friends(walk, parameters)
    walk.include([partial(_expert_by_friend, friends, tags), partial(_expert_by_tag, tags)])


def _tags_named(walk: Walk, name: str) -> set[Node]:
    named = walk.seek("Tag", "name", name)
    walk.read(*named)
    for tag in named:
        above = walk.follow(tag, "HAS_TYPE", "out")
        for class_ in above:
            above.extend(walk.follow(class_, "IS_SUBCLASS_OF", "out"))
        walk.read(*above)
    below = walk.seek("TagClass", "name", name)
    tags = set(named)
    for class_ in below:
        below.extend(walk.follow(class_, "IS_SUBCLASS_OF", "in"))
        tags.update(walk.having("Tag", walk.follow(class_, "HAS_TYPE", "in")))
    walk.read(*below)
    return tags


def _expert_by_friend(friends: Iterable[Node], tags: set[Node], walk: Walk) -> None:
    for comment in _messages(walk, friends, "Comment"):
        for post in walk.having("Post", walk.follow(comment, "REPLY_OF", "out")):
            found = walk.follow(post, "HAS_TAG", "out")
            walk.read(*(tag for tag in found if tag in tags))


def _expert_by_tag(tags: Iterable[Node], walk: Walk) -> None:
    for tag in tags:
        for post in walk.having("Post", walk.follow(tag, "HAS_TAG", "in")):
            for comment in walk.having("Comment", walk.follow(post, "REPLY_OF", "in")):
                walk.follow(comment, "HAS_CREATOR", "out")


def complex_13(walk: Walk, parameters: Parameters) -> None:
    shortest_paths(walk, *_two_people(walk, parameters))


def complex_14(walk: Walk, parameters: Parameters) -> None:
    """All shortest paths; then the replies between neighbours: the comments of everyone, or what
    every second person wrote, with what that replies to and what replies to it."""
    paths = shortest_paths(walk, *_two_people(walk, parameters))
    walk.read(*(person for path in paths for person in path))
    walk.include(
        [
            partial(_replies_by, {person for path in paths for person in path}),
            partial(_replies_by_and_to, {person for path in paths for person in path[::2]}),
            partial(_replies_by_and_to, {person for path in paths for person in path[1::2]}),
        ]
    )


def complex_14_one_way(walk: Walk, parameters: Parameters) -> None:
    """The same for a plan that treats the relationships of the paths alike, and does not choose
    an end to start from by what is there: the comments of everyone."""
    paths = shortest_paths(walk, *_two_people(walk, parameters))
    people = {person for path in paths for person in path}
    walk.read(*people)
    _replies_by(people, walk)


def _replies_by(people: Iterable[Node], walk: Walk) -> None:
    for comment in _messages(walk, people, "Comment"):
        for message in walk.follow(comment, "REPLY_OF", "out"):
            walk.read(message)
            walk.follow(message, "HAS_CREATOR", "out")


def _replies_by_and_to(people: Collection[Node], walk: Walk) -> None:
    _replies_by(people, walk)
    for message in _messages(walk, people, "Message"):
        for comment in walk.having("Comment", walk.follow(message, "REPLY_OF", "in")):
            walk.follow(comment, "HAS_CREATOR", "out")


def _two_people(walk: Walk, parameters: Parameters) -> tuple[Node, Node]:
    return _person(walk, parameters, "person1Id"), _person(walk, parameters, "person2Id")
