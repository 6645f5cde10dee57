"""The local web app: annotation of claims and evidence, adjudication, studies, errata and error coding."""
