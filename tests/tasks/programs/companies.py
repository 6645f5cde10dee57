"""A second schema for the tests: companies, and one row for each company and year, with NULLs."""

from __future__ import annotations

from random import Random

from fathom.tasks.programs.schema import ColumnSpec, Relation, Schema, SchemaTable
from fathom.tasks.programs.tree import (
    Aggregate,
    And,
    Arithmetic,
    Between,
    Column,
    Comparator,
    Compare,
    Condition,
    Contains,
    Count,
    CountDistinct,
    Direction,
    Exists,
    Function,
    GroupedResults,
    GroupsAggregate,
    Having,
    IsUnknown,
    Labels,
    Measure,
    Not,
    OneOf,
    Or,
    Output,
    PeerAggregate,
    Program,
    Ratio,
    Result,
    Sort,
    Term,
    Values,
    WeightedSum,
)

REGIONS = ("Africa", "Asia", "Europe")
CURRENCIES = ("EUR", "USD")

COMPANIES = SchemaTable(
    "companies",
    (
        ColumnSpec("company_id", "integer"),
        ColumnSpec("company_name", "text", ("name", "company name")),
        ColumnSpec("region", "category", ("region",), nullable=True, categories=REGIONS),
        ColumnSpec("currency", "category", ("currency", "reporting currency"), categories=CURRENCIES),
        ColumnSpec("founded", "date", ("date of founding", "founding date"), nullable=True),
        ColumnSpec("offices", "integer", ("number of offices", "office count"), minimum=0),
        ColumnSpec("score", "decimal", ("credit score",), nullable=True, decimals=1),
    ),
    noun="company",
    plural="companies",
    key="company_id",
    label="company_name",
)
YEARS = SchemaTable(
    "company_years",
    (
        ColumnSpec("company_id", "integer"),
        ColumnSpec("year", "integer", ("year", "fiscal year"), minimum=1900),
        ColumnSpec("revenue", "decimal", ("revenue", "total revenue"), unit="million USD", nullable=True),
        ColumnSpec("profit", "decimal", ("net profit", "profit after tax"), unit="million USD", nullable=True),
        ColumnSpec("employees", "integer", ("number of employees", "headcount"), nullable=True, minimum=0),
    ),
    noun="annual report",
    plural="annual reports",
    joined_by="company_id",
    serial="report_id",
)
SCHEMA = Schema(
    tables=(COMPANIES, YEARS),
    relations=(Relation("reports", "company_id", "company_years", "company_id"),),
)

NUMBERS = {"companies": ("offices", "score"), "company_years": ("year", "revenue", "profit", "employees")}
SIGNS: tuple[Comparator, ...] = ("=", "<>", "<", ">", "<=", ">=")
FUNCTIONS: tuple[Function, ...] = ("MAX", "MIN", "SUM", "AVG")
DIRECTIONS: tuple[Direction, ...] = ("ASC", "DESC")


class Grammar:
    """Random programs that use every node."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._table = rng.choice(("companies", "company_years"))

    def program(self) -> Program:
        rng = self._rng
        where = self.condition() if rng.random() < 0.75 else None
        kind = rng.choice(("list", "list", "sort", "sort", "top", "number", "number", "group", "groups", "over"))
        if kind in ("sort", "top"):
            output: Output = self.listing()
            keys = rng.sample((self.sortable(), self.sortable()), rng.randint(1, 2))
            order = tuple(Sort(key, rng.choice(DIRECTIONS)) for key in dict.fromkeys(keys))
            return Program(output, where, order, rng.randint(1, 4) if kind == "top" else None)
        if kind == "list":
            return Program(self.listing(), where)
        if kind == "number":
            return Program(self.result(), where)
        key = Column(rng.choice(("region", "currency", "offices")))
        if kind == "over":
            return Program(GroupsAggregate(rng.choice(FUNCTIONS), key, self.result()), where)
        having = self.having() if rng.random() < 0.6 else None
        if kind == "group":
            return Program(GroupedResults(key, self.result(), having), where)
        if rng.random() < 0.5:
            return Program(GroupedResults(key, None, self.having()), where)
        order = (Sort(self.result(), rng.choice(DIRECTIONS)),)
        return Program(GroupedResults(key, None, having), where, order, rng.choice((None, 1, 2)))

    def listing(self) -> Output:
        if self._table == "companies" and self._rng.random() < 0.5:
            return Labels()
        distinct = self._rng.random() < 0.4
        if self._rng.random() < 0.3:
            return Values(Column(self._rng.choice(("region", "founded", "company_name"))), True)
        return Values(self.measure(), distinct)

    def sortable(self) -> Measure:
        return Column("founded") if self._rng.random() < 0.2 else self.measure()

    def having(self) -> Having:
        result = self.result()
        if isinstance(result, Aggregate) and self._rng.random() < 0.4:
            return Having(result, self._rng.choice(SIGNS), Aggregate(self._rng.choice(FUNCTIONS), result.measure))
        return Having(result, self._rng.choice(SIGNS), self.number())

    def result(self) -> Result:
        match self._rng.randint(0, 4):
            case 0:
                return Count()
            case 1:
                return CountDistinct(self._rng.choice((Column("currency"), self.measure())))
            case 2:
                one, two = self._rng.choice((Count(), self.aggregate())), self._rng.choice((Count(), self.aggregate()))
                return Ratio(one, two, self.single() if one == two or self._rng.random() < 0.5 else None)
            case _:
                return self.aggregate()

    def aggregate(self) -> Aggregate:
        return Aggregate(self._rng.choice(FUNCTIONS), self.measure())

    def measure(self, depth: int = 0) -> Measure:
        rng = self._rng
        column = Column(rng.choice(NUMBERS[self._table]))
        if depth > 1 or rng.random() < 0.6:
            return column
        match rng.randint(0, 3):
            case 0:
                return WeightedSum(
                    (Term(0.5, self.measure(2)), Term(1.2, column), Term(2, self.measure(2)))[: rng.randint(2, 3)]
                )
            case 1 if depth == 0:
                by = Column(rng.choice(("region", "currency"))) if rng.random() < 0.6 else None
                return PeerAggregate(
                    rng.choice(FUNCTIONS), column, by, self.single(False) if rng.random() < 0.3 else None
                )
            case _:
                right = self.number() if rng.random() < 0.4 else self.measure(depth + 1)
                return Arithmetic(self.measure(depth + 1), rng.choice(("+", "-", "*", "/")), right)

    def number(self) -> int | float:
        return self._rng.choice((0, 1, 2, 3, 5, 0.5, 1.25, -1, 2.5))

    def condition(self) -> Condition:
        rng, first = self._rng, self.single()
        match rng.randint(0, 6):
            case 0:
                return And(first, self.single())
            case 1:
                return Or(first, self.single())
            case 2:
                return And(And(first, self.single()), self.single())
            case 3:
                return Or(Or(first, self.single()), self.single())
            case _:
                return first

    def single(self, related: bool = True) -> Condition:
        condition = self.positive(related)
        return Not(condition) if self._rng.random() < 0.25 else condition

    def positive(self, related: bool) -> Condition:
        rng, sign = self._rng, self._rng.choice(SIGNS)
        match rng.randint(0, 8):
            case 0 | 1:
                return Compare(self.measure(0 if related else 2), sign, self.number())
            case 2:
                measure = self.measure(2)
                compared = PeerAggregate(rng.choice(FUNCTIONS), measure, rng.choice((None, Column("region"))))
                other: Measure = Arithmetic(compared, "+", self.number()) if rng.random() < 0.3 else compared
                return Compare(measure, sign, other if related else self.measure(2))
            case 3:
                return Between(self.measure(2), *sorted((self.number(), self.number())))
            case 4:
                return OneOf(self.measure(2), tuple(dict.fromkeys((self.number(), self.number(), self.number()))))
            case 5:
                column, options = rng.choice(((Column("region"), REGIONS), (Column("currency"), CURRENCIES)))
                if rng.random() < 0.3 and len(options) > 2:
                    return OneOf(column, tuple(rng.sample(options, 2)))
                return Compare(column, rng.choice(("=", "<>")), rng.choice(options))
            case 6:
                day = f"20{rng.randint(0, 3):02}-0{rng.randint(1, 3)}-1{rng.randint(0, 3)}"
                return Compare(Column("founded"), sign, day)
            case 7:
                if rng.random() < 0.5:
                    return Contains(Column("company_name"), rng.choice(("and", "Om", "a")))
                return IsUnknown(Column(rng.choice(("region", "founded", "score"))))
            case _:
                if not related or self._table != "companies":
                    return Compare(Column("offices"), sign, rng.randint(0, 4))
                inner = Grammar(rng)
                inner._table = "company_years"
                where: Condition | None = None
                if rng.random() < 0.8:
                    where = Compare(Column(rng.choice(NUMBERS["company_years"])), sign, inner.number())
                    if rng.random() < 0.4:
                        where = And(Compare(Column("year"), "=", 2020), where)
                return Exists("reports", where, rng.choice((1, 1, 2, 3)))
