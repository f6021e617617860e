#!/bin/sh
# Gates a change of an agent: SuperSQL's answers are the baseline, C3's are the change.
#     sh gate.sh DATA    (DATA: see docs/reproduce.md)
# Exit code 1: the change makes the agent worse.
set -eu
data=$1
cd "$(dirname "$0")"
out=${2:-$(mktemp -d)}
export AGENT_QUESTIONS="$data/spider/dev.json"

judge() {
    AGENT_ANSWERS="$data/candidates/raw/$1" sqljury --trust-folder evaluate "$data/spider/dev.json" \
        --system agent:answer -d "$data/spider/databases" -j execution:spider --run "$out/$2" >/dev/null
}

judge SuperSQL/spider_dev.sql.gz before
sqljury gate "$out/before" --write-baseline "$out/baseline.jsonl"
judge C3SQL/predicted_sql.txt.gz after
sqljury gate "$out/after" --baseline "$out/baseline.jsonl"
