"""Generated yearly reports with many figures: companies, universities and housing markets."""

from fathom.corpus.generated.reports.report import DOMAINS, write_report

__all__ = ["DOMAINS", "write_report"]
