"""Logical operators: the plan as data, picklable, from source to result.

Every operator but Argument has a `source` (two-sided ones `left` and `right`) and sees its
rows. A scan or seek with a source gives, for every row of the source, each entity found: at the
start of a query the source is an Argument, which gives the rows it was called with (a single
empty row at the top; for an `inner` plan the rows of the operator that owns it, with all their
columns). Inner plans are run for a whole batch of outer rows at once.

Variables are bound names (unique in the plan); labels, types and keys are names, looked up in
the snapshot the plan runs in. `estimated_rows` is filled by the planner.
"""

from cypherd.planner.logical.operators.base import Direction, Items, LogicalOperator, LogicalUnary
from cypherd.planner.logical.operators.combining import (
    LogicalApply,
    LogicalBinary,
    LogicalCartesianProduct,
    LogicalForeach,
    LogicalLetSemiApply,
    LogicalNodeHashJoin,
    LogicalOptional,
    LogicalRollUpApply,
    LogicalSemiApply,
    LogicalUnion,
    LogicalValueHashJoin,
)
from cypherd.planner.logical.operators.expanding import (
    LogicalExpand,
    LogicalExpandInto,
    LogicalShortestPath,
    LogicalVarLengthExpand,
)
from cypherd.planner.logical.operators.leaves import (
    LogicalAllNodesScan,
    LogicalArgument,
    LogicalNodeByIdSeek,
    LogicalNodeByLabelScan,
    LogicalNodeCount,
    LogicalNodeIndexPrefixSeek,
    LogicalNodeIndexRangeSeek,
    LogicalNodeIndexSeek,
    LogicalRelationshipByIdSeek,
    LogicalRelationshipCount,
    LogicalRelationshipIndexSeek,
    LogicalRelationshipScan,
    LogicalUnionNodeByLabelsScan,
)
from cypherd.planner.logical.operators.results import (
    LogicalEmptyResult,
    LogicalProduceResults,
    LogicalSchemaCommand,
    LogicalShow,
)
from cypherd.planner.logical.operators.rows import (
    LogicalDistinct,
    LogicalEager,
    LogicalEagerAggregation,
    LogicalExtend,
    LogicalFilter,
    LogicalLimit,
    LogicalProcedureCall,
    LogicalProject,
    LogicalReimport,
    LogicalSkip,
    LogicalSort,
    LogicalTop,
    LogicalUnwind,
)
from cypherd.planner.logical.operators.writes import (
    CreateNode,
    CreateRelationship,
    LogicalCreate,
    LogicalDelete,
    LogicalMerge,
    LogicalSet,
    RemoveLabelsItem,
    SetItem,
    SetLabelsItem,
    SetPropertiesItem,
    SetPropertyItem,
)

__all__ = [
    "CreateNode",
    "CreateRelationship",
    "Direction",
    "Items",
    "LogicalAllNodesScan",
    "LogicalApply",
    "LogicalArgument",
    "LogicalBinary",
    "LogicalCartesianProduct",
    "LogicalCreate",
    "LogicalDelete",
    "LogicalDistinct",
    "LogicalEager",
    "LogicalEagerAggregation",
    "LogicalEmptyResult",
    "LogicalExpand",
    "LogicalExpandInto",
    "LogicalExtend",
    "LogicalFilter",
    "LogicalForeach",
    "LogicalLetSemiApply",
    "LogicalLimit",
    "LogicalMerge",
    "LogicalNodeByIdSeek",
    "LogicalNodeByLabelScan",
    "LogicalNodeCount",
    "LogicalNodeHashJoin",
    "LogicalNodeIndexPrefixSeek",
    "LogicalNodeIndexRangeSeek",
    "LogicalNodeIndexSeek",
    "LogicalOperator",
    "LogicalOptional",
    "LogicalProcedureCall",
    "LogicalProduceResults",
    "LogicalProject",
    "LogicalReimport",
    "LogicalRelationshipByIdSeek",
    "LogicalRelationshipCount",
    "LogicalRelationshipIndexSeek",
    "LogicalRelationshipScan",
    "LogicalRollUpApply",
    "LogicalSchemaCommand",
    "LogicalSemiApply",
    "LogicalSet",
    "LogicalShortestPath",
    "LogicalShow",
    "LogicalSkip",
    "LogicalSort",
    "LogicalTop",
    "LogicalUnary",
    "LogicalUnion",
    "LogicalUnionNodeByLabelsScan",
    "LogicalUnwind",
    "LogicalValueHashJoin",
    "LogicalVarLengthExpand",
    "RemoveLabelsItem",
    "SetItem",
    "SetLabelsItem",
    "SetPropertiesItem",
    "SetPropertyItem",
]
