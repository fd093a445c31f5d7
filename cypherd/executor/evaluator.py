"""Compiles bound expressions into functions from batch to column.

    compile_expression: (Batch, ExecutionContext) -> Column, a value a row
    compile_predicate:  (Batch, ExecutionContext) -> numbers of the rows where it is true

Compiled once per plan and process; expressions/ has a module for each family. Numbers,
booleans and ids are computed as arrays where that is exact; everything else, and everything
with `typed=False`, goes row by row through values/ and functions/.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from cypherd.batch.columns import Batch, IntArray
from cypherd.binder import expressions as bound
from cypherd.binder.expressions import BoundExpression
from cypherd.executor.context import ExecutionContext
from cypherd.executor.expressions.calls import compile_call
from cypherd.executor.expressions.compiler import CompileKind, Compiler, Evaluate
from cypherd.executor.expressions.comprehensions import (
    compile_list_comprehension,
    compile_quantifier,
    compile_reduce,
)
from cypherd.executor.expressions.labels import (
    compile_has_dynamic_labels,
    compile_has_labels,
)
from cypherd.executor.expressions.leaves import (
    compile_constant,
    compile_distinct_relationships,
    compile_list,
    compile_map,
    compile_parameter,
    compile_path,
    compile_variable,
)
from cypherd.executor.expressions.logic import (
    compile_and,
    compile_case,
    compile_is_null,
    compile_is_typed,
    compile_not,
    compile_or,
    compile_predicate_of,
    compile_xor,
)
from cypherd.executor.expressions.properties import (
    compile_map_projection,
    compile_property,
)

Predicate: TypeAlias = Callable[[Batch, ExecutionContext], IntArray]

_KINDS: Mapping[type, CompileKind] = {
    bound.Constant: compile_constant,
    bound.Parameter: compile_parameter,
    bound.Variable: compile_variable,
    bound.ListOf: compile_list,
    bound.MapOf: compile_map,
    bound.Property: compile_property,
    bound.HasLabels: compile_has_labels,
    bound.HasDynamicLabels: compile_has_dynamic_labels,
    bound.Call: compile_call,
    bound.And: compile_and,
    bound.Or: compile_or,
    bound.Xor: compile_xor,
    bound.Not: compile_not,
    bound.IsNull: compile_is_null,
    bound.IsTyped: compile_is_typed,
    bound.Case: compile_case,
    bound.ListComprehension: compile_list_comprehension,
    bound.Quantifier: compile_quantifier,
    bound.Reduce: compile_reduce,
    bound.MapProjection: compile_map_projection,
    bound.PathOf: compile_path,
    bound.DistinctRelationships: compile_distinct_relationships,
}


def compile_expression(expression: BoundExpression, typed: bool = True) -> Evaluate:
    """Errors when it runs are StatementErrors with the offset of the part that failed."""
    return Compiler(_KINDS, typed).compile(expression)


def compile_predicate(expression: BoundExpression, typed: bool = True) -> Predicate:
    """Row numbers come as an ascending int64 array; null counts as not true."""
    return compile_predicate_of(expression, Compiler(_KINDS, typed))
