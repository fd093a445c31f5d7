"""What the walk over the grammar writes where the grammar allows any word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NAMES = ("a", "b", "c", "n", "r", "p", "x", "xs")
LABELS = ("A", "B", "C", "Person", "S", "T", "Nobody", "`odd label`")
KEYS = ("i", "w", "name", "list", "when", "where", "missing", "`a b`")

CONSTANTS = ("1", "2", "$p", "null", "'Ada'", "[1, null, 'a']", "{i: 1}", "$list")
"""Where no variable is bound."""

TERMINAL_WORDS: Mapping[str, Sequence[str]] = {
    "NAME": (*NAMES, "_", "é", "count", "type"),
    "QUOTED_NAME": ("`a b`", "`a``b`", "``", "`match`"),
    "PARAMETER": ("$p", "$list", "$map", "$text", "$`a b`", "$0", "$missing"),
    "STRING": ("''", "'a'", '"b"', "'Ada'", r"'\n\u00e9'", "'2020-02-30'", "'2020-02-29T12:00Z'",
               "'P1Y2M3DT4H'", "'%'", "'(a+)+$'", "'Europe/Berlin'", "'1.5'", "'true'"),
    "INTEGER": ("0", "1", "2", "3", "5", "10", "1_000", "0x1F", "0o17", "65536",
                "2147483648", "9007199254740993", "9223372036854775807"),
    "FLOAT": ("0.0", "1.5", ".5", "1e3", "1e308", "1e-320", "3.0E-5"),
    "BAD_NUMBER": ("1a", "0x", "1_", "2.3.4", "08", "1e999", "9223372036854775808"),
}  # fmt: skip

MARKED: Mapping[str, Sequence[str]] = {
    "PATTERN_LPAR": ("(",),
    "REL_DASH": ("-",),
    "REL_LEFT": ("<",),
    "SUBQUERY": ("EXISTS", "COUNT", "COLLECT"),
    "SELECTOR": ("ANY", "ALL", "SHORTEST", "PATHS", "GROUPS"),
    "USE": ("USE",),
    "LABEL_BAR": ("|",),
    "TYPE_LT": ("<",),
}
"""Terminals that are made by the pass over the tokens."""

CONTEXT_WORDS: Mapping[tuple[str, str], Sequence[str]] = {
    ("one_type", "NAME"): ("INTEGER", "STRING", "FLOAT", "BOOLEAN", "LIST", "MAP", "NODE", "ANY",
                           "DATE", "DURATION", "PATH", "LOCAL", "ZONED", "TIME", "VALUE"),
    ("is_worded", "NAME"): ("TYPED",),
    ("is_normalized", "NAME"): ("NORMALIZED",),
    ("show_word", "NAME"): ("INDEXES", "CONSTRAINTS", "FUNCTIONS", "PROCEDURES", "TRANSACTIONS",
                            "SETTINGS", "DATABASES", "NODE", "BUILT"),
    ("length", "INTEGER"): ("0", "1", "2", "3", "5", "99999999999"),
    ("skip", "INTEGER"): ("0", "1", "3"),
}  # fmt: skip

WEIGHTS: Mapping[tuple[str, str | None], float] = {
    ("statement", "EXPLAIN"): 0.1,
    ("statement", "PROFILE"): 0.1,
    ("_body", "query"): 12.0,
    ("_body", "_schema_command"): 0.7,
    ("_clause", "match_clause"): 4.0,
    ("_clause", "with_clause"): 3.0,
    ("_clause", "return_clause"): 0.15,
    ("_clause", "unwind_clause"): 2.0,
    ("_clause", "start_clause"): 0.2,
    ("_clause", "call_clause"): 0.5,
    ("_clause", "finish_clause"): 0.05,
    ("match_clause", "__match_clause_star"): 0.1,
    ("not_expression", "negation"): 0.7,
    ("atom", "variable"): 9.0,
    ("atom", "BAD_NUMBER"): 0.02,
    ("atom", "STRING"): 2.0,
    ("atom", "INTEGER"): 3.0,
    ("atom", "list_literal"): 2.0,
    ("atom", "bad_number"): 0.02,
    ("anonymous_part", "shortest_path"): 1.0,
    ("predicate", "is_worded"): 0.3,
    ("predicate", "is_normalized"): 0.3,
    ("projection_items", "STAR"): 0.2,
    ("yields", "STAR"): 0.3,
    ("postfix", "atom"): 12.0,
    ("postfix", "property_access"): 3.0,
    ("postfix", "call"): 3.0,
    ("labelled", "postfix"): 12.0,
    ("map_literal", "old_parameter"): 0.1,
    ("name", "NAME"): 200.0,
    ("name", "QUOTED_NAME"): 4.0,
    ("key", "name"): 200.0,
    ("properties", "parameter"): 0.2,
    ("label_and", "COLON"): 0.2,
}
"""How often an alternative is taken against its siblings, by its alias or a symbol in it; 1 where
nothing is said, 8 for the links of the chain of operators."""
