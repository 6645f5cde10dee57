"""Programs that a family could ask about companies: one or more for every node and operator."""

from __future__ import annotations

from fathom.tasks.programs.tree import (
    Aggregate,
    And,
    Arithmetic,
    Between,
    Column,
    Columns,
    CombinedResult,
    Compare,
    Contains,
    Count,
    CountDistinct,
    Exists,
    GroupedResults,
    GroupsAggregate,
    Having,
    IsUnknown,
    Labels,
    Not,
    OneOf,
    Or,
    PeerAggregate,
    Program,
    Ratio,
    RelatedCount,
    Sort,
    Term,
    Values,
    WeightedSum,
)
from tests.tasks.programs.companies import DIRECTIONS, FUNCTIONS, SIGNS

REGION, CURRENCY, FOUNDED = Column("region"), Column("currency"), Column("founded")
OFFICES, SCORE = Column("offices"), Column("score")
YEAR, REVENUE, PROFIT, EMPLOYEES = Column("year"), Column("revenue"), Column("profit"), Column("employees")
MARGIN = Arithmetic(PROFIT, "/", REVENUE)
METRIC = WeightedSum((Term(0.5, REVENUE), Term(1.2, PROFIT)))
ASIA = Compare(REGION, "=", "Asia")
RELATED = RelatedCount("reports", Compare(REVENUE, ">", 2))

QUESTIONS: tuple[Program, ...] = (
    # Filters on every type.
    *(Program(Labels(), Compare(OFFICES, sign, 3)) for sign in SIGNS),
    *(Program(Labels(), Compare(SCORE, sign, 2.5)) for sign in SIGNS),
    *(Program(Labels(), Compare(FOUNDED, sign, "2001-03-04")) for sign in SIGNS),
    *(Program(Count(), Compare(REGION, sign, "Asia")) for sign in SIGNS[:2]),
    Program(Labels(), Between(OFFICES, 2, 5)),
    Program(Labels(), Not(Between(OFFICES, 2, 5))),
    Program(Labels(), OneOf(REGION, ("Asia", "Africa"))),
    Program(Labels(), Not(OneOf(OFFICES, (2, 5)))),
    Program(Labels(), Contains(Column("company_name"), "tan")),
    Program(Labels(), IsUnknown(SCORE)),
    Program(Count(), And(ASIA, Compare(OFFICES, ">", 2))),
    Program(Count(), Or(ASIA, Not(Compare(OFFICES, ">", 2)))),
    Program(Labels(), And(And(ASIA, Compare(OFFICES, ">=", 2)), Compare(CURRENCY, "=", "USD"))),
    # Aggregates, ratios, formulas.
    *(Program(Aggregate(function, SCORE), Compare(CURRENCY, "=", "EUR")) for function in FUNCTIONS),
    *(Program(Aggregate(function, REVENUE)) for function in FUNCTIONS),
    Program(Aggregate("MAX", FOUNDED), ASIA),
    Program(CountDistinct(REGION), Compare(OFFICES, ">", 2)),
    Program(Values(OFFICES), ASIA),
    Program(Values(OFFICES, distinct=True), ASIA),
    Program(Aggregate("AVG", MARGIN), Compare(YEAR, "=", 2020)),
    Program(Values(Arithmetic(REVENUE, "-", PROFIT)), Compare(YEAR, "=", 2020)),
    Program(Values(Arithmetic(REVENUE, "+", PROFIT), distinct=True), Compare(EMPLOYEES, ">", 3)),
    Program(Count(), Compare(Arithmetic(REVENUE, "*", EMPLOYEES), ">", 6)),
    Program(Count(), Compare(PROFIT, ">", EMPLOYEES)),
    Program(Ratio(Aggregate("SUM", PROFIT), Aggregate("SUM", REVENUE)), Compare(YEAR, "=", 2020)),
    Program(Ratio(Count(), Count(), ASIA)),
    Program(Aggregate("MAX", METRIC), ASIA),
    Program(Count(), Compare(METRIC, "<=", 2.5)),
    # Joins over the table of companies and years.
    Program(Count(), And(ASIA, Compare(YEAR, "=", 2020))),
    Program(Labels(), Exists("reports", Compare(REVENUE, ">", 2))),
    Program(Labels(), Exists("reports", And(Compare(YEAR, "=", 2020), Compare(PROFIT, "<", 0)))),
    Program(Labels(), Not(Exists("reports", Compare(REVENUE, ">", 2), 2))),
    Program(Count(), Exists("reports", None, 3)),
    # Groups.
    Program(GroupedResults(REGION, Count())),
    Program(GroupedResults(REGION, Aggregate("SUM", SCORE)), Compare(OFFICES, ">", 1)),
    Program(GroupedResults(YEAR, Aggregate("AVG", REVENUE), Having(Count(), ">=", 2))),
    Program(GroupedResults(REGION, None, Having(Aggregate("SUM", OFFICES), ">", 4))),
    Program(GroupedResults(REGION, None, Having(Aggregate("AVG", SCORE), ">", Aggregate("AVG", SCORE)))),
    *(
        Program(GroupedResults(REGION, None), None, (Sort(Aggregate("SUM", OFFICES), direction),), 2)
        for direction in DIRECTIONS
    ),
    Program(GroupsAggregate("AVG", REGION, Aggregate("SUM", OFFICES))),
    Program(GroupsAggregate("MAX", YEAR, Count())),
    # A row compared with its group.
    Program(Labels(), Compare(SCORE, ">", PeerAggregate("AVG", SCORE))),
    Program(Labels(), Compare(OFFICES, ">=", PeerAggregate("MAX", OFFICES, REGION))),
    Program(Count(), Compare(REVENUE, ">", Arithmetic(PeerAggregate("AVG", REVENUE, REGION), "+", 2))),
    Program(Labels(), Compare(OFFICES, "<", PeerAggregate("AVG", OFFICES, CURRENCY, ASIA))),
    # Rankings.
    *(Program(Labels(), None, (Sort(SCORE, direction),)) for direction in DIRECTIONS),
    *(Program(Labels(), ASIA, (Sort(OFFICES, direction),), 2) for direction in DIRECTIONS),
    Program(Values(OFFICES), None, (Sort(FOUNDED, "ASC"),), 3),
    Program(Labels(), None, (Sort(OFFICES, "DESC"), Sort(SCORE, "ASC"))),
    Program(Values(EMPLOYEES, distinct=True), None, (Sort(EMPLOYEES, "DESC"),), 2),
    Program(Labels(), ASIA, (Sort(OFFICES, "DESC"),), 1),
    Program(Labels(), None, (Sort(Column("company_name"), "ASC"),)),
    # Related rows, several columns, combined results.
    Program(Labels(), Compare(RELATED, ">=", 2)),
    Program(Labels(), None, (Sort(RELATED, "DESC"),), 2),
    Program(Aggregate("SUM", RELATED), ASIA),
    Program(Values(RELATED), Compare(RelatedCount("reports"), ">", RELATED)),
    Program(Columns((Column("company_name"), FOUNDED, Arithmetic(SCORE, "+", OFFICES))), ASIA),
    Program(Columns((Column("company_name"), OFFICES)), None, (Sort(OFFICES, "DESC"),), 2),
    Program(CombinedResult(Aggregate("MAX", SCORE), "-", Aggregate("MIN", SCORE)), ASIA),
    Program(CombinedResult(Ratio(Count(), Count(), ASIA), "*", 100)),
    Program(GroupedResults(REGION, Aggregate("SUM", OFFICES), None, keys=False)),
    Program(GroupedResults(REGION, Count(), None, keys=False), None, (Sort(REGION, "ASC"),)),
    Program(GroupedResults(REGION, Count()), None, (Sort(Count(), "DESC"),), 1),
    Program(GroupsAggregate("COUNT", REGION, None, Having(Count(), ">", 1))),
    Program(GroupsAggregate("AVG", REGION, Aggregate("SUM", OFFICES), Having(Count(), ">", 1))),
    Program(Count(EMPLOYEES), Compare(YEAR, "=", 2020)),
    Program(Labels(), Contains(Column("company_name"), "tan", "start")),
    Program(Labels(), Not(Contains(Column("company_name"), "tan", "end"))),
    # AND and OR mixed.
    Program(Labels(), And(Or(ASIA, Compare(OFFICES, ">", 2)), Compare(CURRENCY, "=", "USD"))),
    Program(Count(), Or(And(ASIA, Compare(OFFICES, ">", 2)), Compare(CURRENCY, "=", "USD"))),
)
