"""From the bound query to logical operators, clause by clause, each on top of the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cypherd.binder.expressions import BoundExpression, Call, Property, Variable
from cypherd.binder.query import (
    BoundCall,
    BoundClause,
    BoundCreate,
    BoundDelete,
    BoundFilter,
    BoundForeach,
    BoundLoadCsv,
    BoundMatch,
    BoundMerge,
    BoundPart,
    BoundProjection,
    BoundQuery,
    BoundReimport,
    BoundSet,
    BoundShow,
    BoundStart,
    BoundSubqueryCall,
    BoundUnwind,
    PatternGraph,
    PatternNode,
    PatternRelationship,
)
from cypherd.binder.scopes import Names
from cypherd.errors import InternalError
from cypherd.planner.cardinality import CSV_ROWS, LIST_LENGTH
from cypherd.planner.context import PlanContext
from cypherd.planner.lifting import Lifter
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalArgument, LogicalOperator
from cypherd.planner.patterns import PatternPlanner
from cypherd.planner.projecting import project
from cypherd.planner.state import State
from cypherd.planner.writing import create, delete, merge, set_changes
from cypherd.values.types import CypherType as T


class Builder:
    """Holds what all clauses share; states flow through its methods."""

    def __init__(self, context: PlanContext, names: Names) -> None:
        self.context = context
        self.names = names
        self.lifter = Lifter(names, self.inner_query)
        self.patterns = PatternPlanner(context, names, self.lifter)

    # --- queries ------------------------------------------------------------------------

    def query(self, query: BoundQuery) -> LogicalOperator:
        """The whole plan, with ProduceResults or EmptyResult on top."""
        start = State(LogicalArgument(), frozenset(), {}, 1.0)
        state = self._parts(query, start)
        if not query.returns:
            return ops.LogicalEmptyResult(source=state.plan)
        return ops.LogicalProduceResults(source=state.plan, columns=query.parts[0].columns)

    def inner_query(self, query: BoundQuery, start: State) -> State:
        """A subquery over the rows of `start`."""
        return self._parts(query, start)

    def _parts(self, query: BoundQuery, start: State) -> State:
        first, *others = query.parts
        state = self._clauses(first.clauses, start)
        if not others:
            return state
        names = tuple(variable for _, variable in first.columns)
        for part in others:
            right = self._renamed(part, first, self._clauses(part.clauses, start))
            union = ops.LogicalUnion(left=state.plan, right=right.plan)
            writes = state.writes or right.writes
            rows = state.rows + right.rows
            state = replace(state, plan=union, writes=writes, rows=rows, labels={})
        if not query.all and names:
            return replace(state, plan=ops.LogicalDistinct(source=state.plan, variables=names))
        return state

    def _renamed(self, part: BoundPart, first: BoundPart, state: State) -> State:
        """The part's columns under the variables of the first part."""
        own = dict(part.columns)
        items = tuple(
            (variable, Variable(own[name], type=self.names.types.get(own[name], T.ANY)))
            for name, variable in first.columns
        )
        # What differs in type on the two sides is of no known type above.
        for variable, value in items:
            if self.names.types.get(variable) is not value.type:
                self.names.types[variable] = T.ANY
        return replace(state, plan=ops.LogicalProject(source=state.plan, items=items))

    def _clauses(self, clauses: Sequence[BoundClause], state: State) -> State:
        for clause in clauses:
            state = self.clause(clause, state)
        return state

    def clause(self, clause: BoundClause, state: State) -> State:
        """One clause on top of the plan so far."""
        match clause:
            case BoundMatch():
                return self._match(clause, state)
            case BoundProjection():
                return project(clause, state, self.lifter)
            case BoundFilter(predicate):
                return self.lifter.filter(state, predicate)
            case BoundUnwind(expression, variable):
                state, lifted = self.lifter.lift(state, expression)
                unwind = ops.LogicalUnwind(source=state.plan, expression=lifted, variable=variable)
                rows = state.rows * 10
                return replace(state.onto(unwind, variable), rows=rows)
            case BoundLoadCsv():
                return self._load_csv(clause, state)
            case BoundCall():
                return self._call(clause, state)
            case BoundSubqueryCall():
                return self._subquery_call(clause, state)
            case BoundReimport(variables):
                reimport = ops.LogicalReimport(source=state.plan, variables=variables)
                return state.onto(reimport, *variables)
            case BoundShow(what, kinds, columns, ids):
                show = ops.LogicalShow(what=what, kinds=kinds, columns=columns, ids=ids)
                return state.only(show, frozenset(variable for _, variable in columns))
            case BoundStart():
                return self._start(clause, state)
            case BoundCreate():
                return create(clause, state, self.lifter)
            case BoundMerge():
                return self._merge(clause, state)
            case BoundSet():
                return set_changes(clause, state, self.lifter)
            case BoundDelete():
                return delete(clause, state, self.lifter)
            case BoundForeach():
                return self._foreach(clause, state)
        raise InternalError(f"no plan for {type(clause).__name__}")

    # --- clauses ------------------------------------------------------------------------

    def _match(self, clause: BoundMatch, state: State) -> State:
        if not clause.optional:
            return self.patterns.plan(state, clause.graph)
        inner = self.patterns.plan(self.lifter.argument(state), clause.graph)
        optional = ops.LogicalOptional(
            source=state.plan, inner=inner.plan, variables=clause.introduced
        )
        return replace(state.onto(optional, *clause.introduced), rows=max(state.rows, inner.rows))

    def _merge(self, clause: BoundMerge, state: State) -> State:
        # The search runs for one row at a time: it is planned like that.
        argument = replace(self.lifter.argument(state), rows=1.0)
        graph = replace(clause.graph, paths=())
        return merge(clause, state, self.patterns.plan(argument, graph).plan, self.lifter)

    def _load_csv(self, clause: BoundLoadCsv, state: State) -> State:
        state, url = self.lifter.lift(state, clause.source)
        load = ops.LogicalLoadCsv(
            source=state.plan,
            url=url,
            variable=clause.variable,
            headers=clause.headers,
            terminator=clause.terminator,
            line=clause.line,
            file=clause.file,
        )
        names = (clause.variable, clause.line, clause.file)
        return replace(state.onto(load, *names), rows=state.rows * CSV_ROWS)

    def _call(self, clause: BoundCall, state: State) -> State:
        arguments = []
        for argument in clause.arguments:
            state, lifted = self.lifter.lift(state, argument)
            arguments.append(lifted)
        call = ops.LogicalProcedureCall(
            source=state.plan,
            procedure=clause.procedure,
            arguments=tuple(arguments),
            results=clause.results,
            reads=clause.reads,
        )
        rows = state.rows * (LIST_LENGTH if clause.results else 1.0)
        return replace(state.onto(call, *(name for _, name in clause.results)), rows=rows)

    def _subquery_call(self, clause: BoundSubqueryCall, state: State) -> State:
        if clause.transactions is None:
            return self._subquery(clause, state)
        inner = self._subquery(clause, self.lifter.argument(state))
        transactions = clause.transactions
        plan = ops.LogicalTransactionApply(
            source=state.plan,
            inner=inner.plan,
            variables=clause.columns,
            rows=transactions.rows,
            on_error=transactions.on_error,
            status=transactions.status,
        )
        status = () if transactions.status is None else (transactions.status,)
        added = state.onto(plan, *clause.columns, *status)
        return replace(added, rows=inner.rows, labels={}, writes=True)

    def _subquery(self, clause: BoundSubqueryCall, state: State) -> State:
        # Counted for one row, for it may count, sort or limit by itself for each.
        inner = self.inner_query(clause.query, replace(self.lifter.argument(state), rows=1.0))
        kind = ops.LogicalOptional if clause.optional else ops.LogicalApply
        plan = kind(source=state.plan, inner=inner.plan, variables=clause.columns)
        rows = state.rows * inner.rows if clause.columns else state.rows
        if clause.optional:
            rows = max(rows, state.rows)
        # What a write inside may take away is not known of any node any more.
        labels = {} if inner.writes else state.labels
        writes = state.writes or inner.writes
        return replace(state.onto(plan, *clause.columns), rows=rows, labels=labels, writes=writes)

    def _foreach(self, clause: BoundForeach, state: State) -> State:
        state, expression = self.lifter.lift(state, clause.expression)
        inner = self._clauses(clause.updates, self.lifter.argument(state, clause.variable))
        plan = ops.LogicalForeach(
            source=state.plan, inner=inner.plan, variable=clause.variable, expression=expression
        )
        # What it may take away is not known of any node any more.
        return replace(state, plan=plan, labels={}, writes=True)

    # --- START --------------------------------------------------------------------------

    def _start(self, clause: BoundStart, state: State) -> State:
        """Ids are sought strictly; an old index is the label or type of its name, whatever
        its case, and then a pattern like any other."""
        if clause.ids is not None:
            return self._start_by_id(clause, clause.ids, state)
        name = None if clause.index is None else self._owner(clause)
        predicates: tuple[BoundExpression, ...] = ()
        if clause.key is not None and clause.value is not None:
            type_ = T.NODE if clause.kind == "node" else T.RELATIONSHIP
            held = Property(Variable(clause.variable, type=type_), clause.key)
            operator = "in" if clause.term else "="
            predicates = (Call(operator, (held, clause.value), type=T.BOOLEAN),)
        owners = () if name is None else (name,)
        if clause.kind == "node":
            nodes = (PatternNode(clause.variable, owners),)
            graph = PatternGraph(nodes, (), predicates=predicates)
            return self.patterns.plan(state, graph)
        ends = (PatternNode(clause.start, ()), PatternNode(clause.end, ()))
        relationship = PatternRelationship(clause.variable, clause.start, clause.end, "out", owners)
        return self.patterns.plan(state, PatternGraph(ends, (relationship,), predicates=predicates))

    def _start_by_id(self, clause: BoundStart, ids: BoundExpression, state: State) -> State:
        state, ids = self.lifter.lift(state, ids)
        if clause.kind == "node":
            node = ops.LogicalNodeByIdSeek(
                source=state.plan, variable=clause.variable, ids=ids, strict=True
            )
            return state.onto(node, clause.variable)
        relationship = ops.LogicalRelationshipByIdSeek(
            source=state.plan,
            relationship=clause.variable,
            start=clause.start,
            end=clause.end,
            ids=ids,
            directed=True,
            strict=True,
        )
        return state.onto(relationship, clause.variable, clause.start, clause.end)

    def _owner(self, clause: BoundStart) -> str:
        """The label or type that an index name stands for: spelled alike if there is one."""
        schema = self.context.schema
        known = schema.label_names() if clause.kind == "node" else schema.type_names()
        index = str(clause.index)
        if index in known:
            return index
        return next((name for name in known if name.lower() == index.lower()), index)
