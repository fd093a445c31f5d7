"""Grammar rules of expressions -> AST. One method a rule, named as the rule.

A method takes the children that the grammar keeps, in order; an optional part that is absent
is None. Lists and calls that turn out to be comprehensions, quantifiers or reduce are
recognised here by the shape of their parts.
"""

from __future__ import annotations

from cypherd.parser import ast
from cypherd.parser.cases import Alternative, Condition, case_of, compared
from cypherd.parser.lexer import Token
from cypherd.parser.literals import (
    MINIMUM_MAGNITUDE,
    float_value,
    integer_overflow,
    integer_value,
    invalid_number,
    name_text,
    string_value,
    unquoted,
)
from cypherd.parser.paths import SHORTEST, Children, misplaced
from cypherd.parser.patterns import PatternRules
from cypherd.parser.tables import Place
from cypherd.parser.type_predicates import TypePredicateRules

_QUANTIFIERS = frozenset({"all", "any", "none", "single"})


class ExpressionRules(PatternRules, TypePredicateRules):
    """Keeps what one parse needs beside its values: the text, the tokens, the place."""

    def __init__(self) -> None:
        self.place = Place()
        self.begin_parse("", [])

    def begin_parse(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.place.index = 0
        # Literals 2^63, by offset: an overflow unless a minus sign takes them.
        self.unsigned_minimum: dict[int, Token] = {}

    def check_integers(self) -> None:
        """Raises IntegerOverflow where a literal 2^63 stands without its minus sign."""
        for _, token in sorted(self.unsigned_minimum.items()):
            raise integer_overflow(token)

    def begin(self, _: Children) -> int:
        """The offset of the token that comes next."""
        return self.tokens[self.place.index].at

    def end(self, _: Children) -> int:
        """The offset behind the token that was read last."""
        return self.tokens[self.place.index - 1].end

    # --- operators ----------------------------------------------------------------------

    def connective(self, children: Children) -> ast.Expression:
        return _balanced(children[::2], children[1::2])

    def negation(self, children: Children) -> ast.Expression:
        token, operand = children
        return ast.Unary("not", operand, at=token.at)

    def comparison(self, children: Children) -> ast.Expression:
        signs = children[1::2]
        operators = tuple(sign.text for sign in signs)
        return ast.Comparison(tuple(children[::2]), operators, at=signs[0].at)

    def binary(self, children: Children) -> ast.Expression:
        left, token, right = children
        operator = _WORD_OPERATORS.get(token.type) or token.text
        return ast.Binary(operator, left, right, at=token.at)

    def is_null(self, children: Children) -> ast.Expression:
        operand, token, negation = children
        return ast.IsNull(operand, negation is not None, at=token.at)

    def sign(self, children: Children) -> ast.Expression:
        token, operand = children
        if token.type == "MINUS" and isinstance(operand, ast.Constant):
            if self.unsigned_minimum:
                self.unsigned_minimum.pop(operand.at, None)
            if type(operand.value) in (int, float) and not _signed(operand.value):
                return ast.Constant(-operand.value, at=token.at)
        return ast.Unary(token.text, operand, at=token.at)

    def has_labels(self, children: Children) -> ast.Expression:
        source, (names, matching) = children
        return ast.HasLabels(source, names, matching, at=source.at)

    def property_access(self, children: Children) -> ast.Expression:
        source, key = children
        return ast.Property(source, name_text(key), at=source.at)

    def subscript(self, children: Children) -> ast.Expression:
        source, bracket, index = children
        return ast.Subscript(source, index, at=bracket.at)

    def list_slice(self, children: Children) -> ast.Expression:
        source, bracket, start, end = children
        return ast.Slice(source, start, end, at=bracket.at)

    # --- calls --------------------------------------------------------------------------

    def call(self, children: Children) -> ast.Expression:
        callee, distinct, *arguments = children
        if arguments == [None]:
            arguments = []
        name = self._function_name(callee)
        shortest = SHORTEST.get(name.lower())
        if shortest is not None:
            return self._shortest_expression(callee, shortest, arguments)
        return ast.FunctionCall(name, tuple(arguments), distinct is not None, at=callee.at)

    def _shortest_expression(
        self, callee: ast.Expression, shortest: str, arguments: list[ast.Expression]
    ) -> ast.Expression:
        if len(arguments) != 1 or not isinstance(arguments[0], ast.PatternExpression):
            raise misplaced(callee.at, f"{shortest}() takes one pattern: (a)-[*]-(b)")
        elements = arguments[0].pattern.elements
        path = ast.PathPattern(None, elements, shortest, at=callee.at)
        return ast.PatternExpression(path, at=callee.at)

    def count_star(self, children: Children) -> ast.Expression:
        name = self._function_name(children[0])
        if name.lower() != "count":
            raise misplaced(children[0].at, f"Only count(*) takes a *, {name}() does not")
        return ast.CountStar(at=children[0].at)

    def filtering_call(self, children: Children) -> ast.Expression:
        """`all(x IN xs WHERE p)` and the old `filter(x IN xs WHERE p)`."""
        callee, element, where, projection = children
        name = self._function_name(callee).lower()
        variable, source = _element_of(element)
        if name in _QUANTIFIERS and projection is None:
            return ast.Quantifier(name, variable, source, where, at=callee.at)
        if name == "filter" and projection is None:
            return ast.ListComprehension(variable, source, where, None, at=callee.at)
        if name == "extract" and projection is not None:
            return ast.ListComprehension(variable, source, where, projection, at=callee.at)
        raise misplaced(callee.at, f"{name}() does not take x IN list WHERE condition")

    def extracting_call(self, children: Children) -> ast.Expression:
        """The old `extract(x IN xs | e)`."""
        callee, element, projection = children
        name = self._function_name(callee)
        if name.lower() != "extract":
            raise misplaced(callee.at, f"{name}() does not take x IN list | value")
        variable, source = _element_of(element)
        return ast.ListComprehension(variable, source, None, projection, at=callee.at)

    def reducing_call(self, children: Children) -> ast.Expression:
        callee, start, element, expression = children
        name = self._function_name(callee)
        if name.lower() != "reduce":
            raise misplaced(callee.at, f"{name}() does not take x = start, y IN list | value")
        accumulator, initial = _assignment(start)
        variable, source = _element_of(element)
        return ast.Reduce(accumulator, initial, variable, source, expression, at=callee.at)

    def _function_name(self, callee: ast.Expression) -> str:
        """The dotted name that a chain of properties spells."""
        parts: list[str] = []
        node = callee
        while isinstance(node, ast.Property):
            parts.append(node.key)
            node = node.source
        if not isinstance(node, ast.Variable):
            raise misplaced(callee.at, "Only a function name can stand before a parenthesis")
        parts.append(node.name)
        return ".".join(reversed(parts))

    # --- atoms --------------------------------------------------------------------------

    def variable(self, children: Children) -> ast.Variable:
        token = children[0]
        return ast.Variable(name_text(token), at=token.at)

    def parameter(self, children: Children) -> ast.Parameter:
        token = children[0]
        name = token.text[1:]
        return ast.Parameter(unquoted(name) if name[0] == "`" else name, at=token.at)

    def old_parameter(self, children: Children) -> ast.Parameter:
        brace, key = children
        return ast.Parameter(name_text(key), at=brace.at)

    def integer_literal(self, children: Children) -> ast.Constant:
        token = children[0]
        value = integer_value(token)
        if value == MINIMUM_MAGNITUDE:
            self.unsigned_minimum[token.at] = token
        return ast.Constant(value, at=token.at)

    def float_literal(self, children: Children) -> ast.Constant:
        return ast.Constant(float_value(children[0]), at=children[0].at)

    def bad_number(self, children: Children) -> ast.Constant:
        raise invalid_number(children[0])

    def string_literal(self, children: Children) -> ast.Constant:
        return ast.Constant(string_value(children[0]), at=children[0].at)

    def true(self, children: Children) -> ast.Constant:
        return ast.Constant(True, at=children[0].at)

    def false(self, children: Children) -> ast.Constant:
        return ast.Constant(False, at=children[0].at)

    def null(self, children: Children) -> ast.Constant:
        return ast.Constant(None, at=children[0].at)

    def map_literal(self, children: Children) -> ast.MapLiteral:
        brace, *entries = children
        present = tuple(entry for entry in entries if entry is not None)
        return ast.MapLiteral(present, at=brace.at)

    def map_entry(self, children: Children) -> tuple[str, ast.Expression]:
        key, value = children
        return name_text(key), value

    def map_projection(self, children: Children) -> ast.MapProjection:
        variable, *items = children
        present = tuple(item for item in items if item is not None)
        properties = tuple(
            (key, ast.Property(variable, key, at=value.at) if isinstance(value, Token) else value)
            for key, value in present
        )
        return ast.MapProjection(variable, properties, at=variable.at)

    def projected_all(self, _: Children) -> tuple[str, None]:
        return "*", None

    def projected_property(self, children: Children) -> tuple[str, Token]:
        return name_text(children[0]), children[0]

    def projected_entry(self, children: Children) -> tuple[str, ast.Expression]:
        return self.map_entry(children)

    def projected_variable(self, children: Children) -> tuple[str, ast.Expression]:
        variable = self.variable(children)
        return variable.name, variable

    def case(self, children: Children) -> ast.Expression:
        token, subject, *alternatives, default = children
        return case_of(token.at, subject, alternatives, default)

    def alternative(self, children: Children) -> Alternative:
        token, *conditions, value = children
        return Alternative(token.at, tuple(conditions), value)

    def when_compared(self, children: Children) -> Condition:
        token, value = children
        return compared(token.at, _WORD_OPERATORS.get(token.type) or token.text, value)

    def when_null(self, children: Children) -> Condition:
        token, negation = children
        return Condition(
            token.at, lambda subject: ast.IsNull(subject, negation is not None, at=token.at)
        )

    def when_typed(self, children: Children) -> Condition:
        token, negation, type_ = children
        return Condition(token.at, lambda subject: self.is_typed([subject, token, negation, type_]))

    def when_worded(self, children: Children) -> Condition:
        return Condition(children[0].at, lambda subject: self.is_worded([subject, *children]))

    def when_normalized(self, children: Children) -> Condition:
        return Condition(children[0].at, lambda subject: self.is_normalized([subject, *children]))

    # --- lists --------------------------------------------------------------------------

    def empty_list(self, children: Children) -> ast.ListLiteral:
        return ast.ListLiteral((), at=children[0].at)

    def list_literal(self, children: Children) -> ast.Expression:
        bracket, begin, *items = children
        if len(items) == 1 and _is_element(items[0]) and items[0].left.at == begin:
            variable, source = _element_of(items[0])
            return ast.ListComprehension(variable, source, None, None, at=bracket.at)
        return ast.ListLiteral(tuple(items), at=bracket.at)

    def comprehension(self, children: Children) -> ast.Expression:
        bracket, _, element, where, projection = children
        return self._comprehension(bracket, element, where, projection)

    def mapping(self, children: Children) -> ast.Expression:
        bracket, _, element, projection = children
        return self._comprehension(bracket, element, None, projection)

    def _comprehension(
        self,
        bracket: Token,
        element: ast.Expression,
        where: ast.Expression | None,
        projection: ast.Expression | None,
    ) -> ast.Expression:
        pattern = _pattern_of(element)
        if pattern is None:
            variable, source = _element_of(element)
            return ast.ListComprehension(variable, source, where, projection, at=bracket.at)
        if projection is None:
            raise misplaced(bracket.at, "A pattern in a list needs | and what to collect")
        return ast.PatternComprehension(pattern, where, projection, at=bracket.at)


_WORD_OPERATORS = {
    "IN": "in",
    "CONTAINS": "contains",
    "STARTS": "starts with",
    "ENDS": "ends with",
}


def _signed(value: int | float) -> bool:
    """Whether a minus sign was already taken: `- -1` is not the literal 1."""
    return value < 0 or str(value)[0] == "-"


def _balanced(operands: list[ast.Expression], tokens: list[Token]) -> ast.Expression:
    """AND, OR and XOR are associative: a tree of depth log n instead of a chain."""
    if len(operands) == 1:
        return operands[0]
    middle = len(operands) // 2
    left = _balanced(operands[:middle], tokens[: middle - 1])
    right = _balanced(operands[middle:], tokens[middle:])
    token = tokens[middle - 1]
    return ast.Binary(token.type.lower(), left, right, at=token.at)


def _is_element(expression: ast.Expression) -> bool:
    return (
        isinstance(expression, ast.Binary)
        and expression.operator == "in"
        and isinstance(expression.left, ast.Variable)
    )


def _element_of(expression: ast.Expression) -> tuple[str, ast.Expression]:
    """Variable and list of `x IN xs`."""
    if isinstance(expression, ast.Binary) and _is_element(expression):
        assert isinstance(expression.left, ast.Variable)
        return expression.left.name, expression.right
    raise misplaced(expression.at, "Expected a variable, IN and a list: x IN list")


def _assignment(expression: ast.Expression) -> tuple[str, ast.Expression]:
    """Variable and value of `x = value`."""
    if isinstance(expression, ast.Comparison) and expression.operators == ("=",):
        target, value = expression.operands
        if isinstance(target, ast.Variable):
            return target.name, value
    raise misplaced(expression.at, "Expected a variable, = and a value: sum = 0")


def _pattern_of(element: ast.Expression) -> ast.PathPattern | None:
    """The pattern of `(a)-->(b)` or `p = (a)-->(b)`."""
    if isinstance(element, ast.PatternExpression):
        return element.pattern
    if isinstance(element, ast.Comparison) and element.operators == ("=",):
        target, value = element.operands
        if isinstance(target, ast.Variable) and isinstance(value, ast.PatternExpression):
            path = value.pattern
            return ast.PathPattern(target.name, path.elements, path.shortest, at=target.at)
    return None
