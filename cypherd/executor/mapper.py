"""Logical plan to physical operators: one mapper an operator, in one table.

Operators are numbered in pre-order (operator, source or left, right, inner or match), as
`planner.logical.walk` visits them; under these numbers PROFILE keeps its counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cypherd.errors import InternalError
from cypherd.executor.operator import Operator
from cypherd.executor.operators.all_nodes_scan import map_all_nodes_scan
from cypherd.executor.operators.apply import map_apply
from cypherd.executor.operators.argument import map_argument
from cypherd.executor.operators.cartesian_product import map_cartesian_product
from cypherd.executor.operators.counts import map_node_count, map_relationship_count
from cypherd.executor.operators.create import map_create
from cypherd.executor.operators.delete import map_delete
from cypherd.executor.operators.distinct import map_distinct
from cypherd.executor.operators.eager import map_eager, map_empty_result
from cypherd.executor.operators.eager_aggregation import map_eager_aggregation
from cypherd.executor.operators.expand import map_expand
from cypherd.executor.operators.expand_into import map_expand_into
from cypherd.executor.operators.filter import map_filter
from cypherd.executor.operators.fold import map_fold
from cypherd.executor.operators.foreach import map_foreach
from cypherd.executor.operators.hash_joins import map_node_hash_join, map_value_hash_join
from cypherd.executor.operators.limit import map_limit
from cypherd.executor.operators.load_csv import map_load_csv
from cypherd.executor.operators.merge import map_merge
from cypherd.executor.operators.node_by_id_seek import map_node_by_id_seek
from cypherd.executor.operators.node_by_label_scan import map_node_by_label_scan
from cypherd.executor.operators.node_index_prefix_seek import map_node_index_prefix_seek
from cypherd.executor.operators.node_index_range_seek import map_node_index_range_seek
from cypherd.executor.operators.node_index_seek import map_node_index_seek
from cypherd.executor.operators.optional import map_optional
from cypherd.executor.operators.path_step import map_path_step
from cypherd.executor.operators.procedure_call import map_procedure_call
from cypherd.executor.operators.produce_results import map_produce_results
from cypherd.executor.operators.project import map_extend, map_project
from cypherd.executor.operators.reimport import map_reimport
from cypherd.executor.operators.relationship_by_id_seek import map_relationship_by_id_seek
from cypherd.executor.operators.relationship_index_seek import map_relationship_index_seek
from cypherd.executor.operators.relationship_scan import map_relationship_scan
from cypherd.executor.operators.repeat import map_repeat
from cypherd.executor.operators.roll_up_apply import map_roll_up_apply
from cypherd.executor.operators.schema_command import map_schema_command
from cypherd.executor.operators.select_paths import map_select_paths
from cypherd.executor.operators.semi_apply import map_let_semi_apply, map_semi_apply
from cypherd.executor.operators.set import map_set
from cypherd.executor.operators.shortest_path import map_shortest_path
from cypherd.executor.operators.show import map_show
from cypherd.executor.operators.skip import map_skip
from cypherd.executor.operators.sort import map_sort, map_top
from cypherd.executor.operators.transaction_apply import map_transaction_apply
from cypherd.executor.operators.union import map_union
from cypherd.executor.operators.union_node_by_labels_scan import map_union_node_by_labels_scan
from cypherd.executor.operators.unwind import map_unwind
from cypherd.executor.operators.var_length_expand import map_var_length_expand
from cypherd.executor.usage import variables_read
from cypherd.planner.logical import operators as logical

MAPPERS: dict[type[logical.LogicalOperator], Callable[[Any, int, Any], Operator]] = {
    logical.LogicalArgument: map_argument,
    logical.LogicalAllNodesScan: map_all_nodes_scan,
    logical.LogicalNodeByLabelScan: map_node_by_label_scan,
    logical.LogicalUnionNodeByLabelsScan: map_union_node_by_labels_scan,
    logical.LogicalNodeByIdSeek: map_node_by_id_seek,
    logical.LogicalNodeIndexSeek: map_node_index_seek,
    logical.LogicalNodeIndexRangeSeek: map_node_index_range_seek,
    logical.LogicalNodeIndexPrefixSeek: map_node_index_prefix_seek,
    logical.LogicalRelationshipScan: map_relationship_scan,
    logical.LogicalRelationshipByIdSeek: map_relationship_by_id_seek,
    logical.LogicalRelationshipIndexSeek: map_relationship_index_seek,
    logical.LogicalNodeCount: map_node_count,
    logical.LogicalRelationshipCount: map_relationship_count,
    logical.LogicalExpand: map_expand,
    logical.LogicalExpandInto: map_expand_into,
    logical.LogicalVarLengthExpand: map_var_length_expand,
    logical.LogicalShortestPath: map_shortest_path,
    logical.LogicalRepeat: map_repeat,
    logical.LogicalPathStep: map_path_step,
    logical.LogicalSelectPaths: map_select_paths,
    logical.LogicalFilter: map_filter,
    logical.LogicalProject: map_project,
    logical.LogicalExtend: map_extend,
    logical.LogicalUnwind: map_unwind,
    logical.LogicalLoadCsv: map_load_csv,
    logical.LogicalProcedureCall: map_procedure_call,
    logical.LogicalDistinct: map_distinct,
    logical.LogicalEagerAggregation: map_eager_aggregation,
    logical.LogicalSort: map_sort,
    logical.LogicalTop: map_top,
    logical.LogicalSkip: map_skip,
    logical.LogicalLimit: map_limit,
    logical.LogicalEager: map_eager,
    logical.LogicalApply: map_apply,
    logical.LogicalTransactionApply: map_transaction_apply,
    logical.LogicalReimport: map_reimport,
    logical.LogicalOptional: map_optional,
    logical.LogicalSemiApply: map_semi_apply,
    logical.LogicalLetSemiApply: map_let_semi_apply,
    logical.LogicalRollUpApply: map_roll_up_apply,
    logical.LogicalFold: map_fold,
    logical.LogicalForeach: map_foreach,
    logical.LogicalUnion: map_union,
    logical.LogicalCartesianProduct: map_cartesian_product,
    logical.LogicalNodeHashJoin: map_node_hash_join,
    logical.LogicalValueHashJoin: map_value_hash_join,
    logical.LogicalCreate: map_create,
    logical.LogicalMerge: map_merge,
    logical.LogicalSet: map_set,
    logical.LogicalDelete: map_delete,
    logical.LogicalProduceResults: map_produce_results,
    logical.LogicalEmptyResult: map_empty_result,
    logical.LogicalSchemaCommand: map_schema_command,
    logical.LogicalShow: map_show,
}


def map_plan(root: logical.LogicalOperator) -> Operator:
    """The physical operators of a plan, expressions compiled."""
    return _PlanMapping(variables_read(root)).map(root)


class _PlanMapping:
    def __init__(self, used: frozenset[str]) -> None:
        self.used = used
        self.mapped = 0

    def map(self, plan: logical.LogicalOperator) -> Operator:
        number = self.mapped
        self.mapped += 1
        mapper = MAPPERS.get(type(plan))
        if mapper is None:
            raise InternalError(f"no operator runs a {type(plan).__name__}")
        return mapper(plan, number, self)
