"""Which columns an operator gives."""

from __future__ import annotations

from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import sources


def introduced(operator: LogicalOperator) -> frozenset[str]:
    """The columns that an operator adds to those of its source."""
    match operator:
        case (
            ops.LogicalAllNodesScan(variable=name)
            | ops.LogicalNodeByLabelScan(variable=name)
            | ops.LogicalUnionNodeByLabelsScan(variable=name)
            | ops.LogicalNodeByIdSeek(variable=name)
            | ops.LogicalNodeIndexSeek(variable=name)
            | ops.LogicalNodeIndexRangeSeek(variable=name)
            | ops.LogicalNodeIndexPrefixSeek(variable=name)
            | ops.LogicalNodeCount(variable=name)
            | ops.LogicalRelationshipCount(variable=name)
            | ops.LogicalUnwind(variable=name)
            | ops.LogicalLetSemiApply(variable=name)
            | ops.LogicalRollUpApply(variable=name)
            | ops.LogicalFold(variable=name)
        ):
            return frozenset({name})
        case (
            ops.LogicalRelationshipScan()
            | ops.LogicalRelationshipByIdSeek()
            | ops.LogicalRelationshipIndexSeek()
        ):
            return frozenset({operator.relationship, operator.start, operator.end})
        case ops.LogicalExpand(relationship=relationship, end=end):
            return frozenset({relationship, end})
        case ops.LogicalExpandInto(relationship=relationship):
            return frozenset({relationship})
        case ops.LogicalVarLengthExpand(relationships=relationships, end=end, into=into):
            return frozenset({relationships} if into else {relationships, end})
        case ops.LogicalShortestPath(relationships=relationships, path=path):
            return frozenset({relationships, path} if path else {relationships})
        case ops.LogicalRepeat(columns=lists, walked=walked, end=end, into=into):
            names = frozenset(name for name, _ in lists)
            return names | ({walked} if into else {walked, end})
        case ops.LogicalSelectPaths(columns=names):
            return frozenset(names)
        case ops.LogicalExtend(items=items):
            return frozenset(name for name, _ in items)
        case ops.LogicalProcedureCall(results=results):
            return frozenset(name for _, name in results)
        case ops.LogicalOptional(variables=names) | ops.LogicalApply(variables=names):
            return frozenset(names)
        case ops.LogicalTransactionApply(variables=names, status=status):
            return frozenset(names if status is None else (*names, status))
        case ops.LogicalLoadCsv(variable=variable, line=line, file=file):
            return frozenset({variable, line, file})
        case ops.LogicalReimport(variables=names):
            return frozenset(names)
        case ops.LogicalCreate() | ops.LogicalMerge():
            nodes = frozenset(made.variable for made in operator.nodes)
            return nodes | {made.variable for made in operator.relationships}
    return frozenset()


def columns(operator: LogicalOperator) -> frozenset[str]:
    """All columns that come out of an operator."""
    match operator:
        case ops.LogicalArgument(variables=names) | ops.LogicalDistinct(variables=names):
            return frozenset(names)
        case ops.LogicalProject(items=items):
            return frozenset(name for name, _ in items)
        case ops.LogicalEagerAggregation(keys=keys, aggregates=aggregates):
            return frozenset(name for name, _ in (*keys, *aggregates))
        case ops.LogicalUnion(left=left):
            return columns(left)
        case ops.LogicalShow(columns=names):
            return frozenset(variable for _, variable in names)
    found = introduced(operator)
    for source in sources(operator):
        found |= columns(source)
    return found
