#!/bin/sh
# Fits the jury's trees of everyday predictions again and measures them, as docs/ordinary-labels.md says.
#   sh experiments/ordinary_fit.sh DATA
# Run it in a folder of its own that holds silver.jsonl (docs/figures-judges.md, "Jury").
set -e
DATA=$1
here=$(dirname "$0")

python "$here"/ordinary_cases.py "$DATA" cases.jsonl --labelled
G=execution+tables+differences+faults+linking+question+generated+compared
for home in spider bird kaggle-dbqa; do
    case $home in bird) of=bird-dev;; kaggle-dbqa) of=kaggle-dbqa;; *) of='spider-[a-z]*';; esac
    grep "\"benchmark\": \"$of\"" cases.jsonl > $home.jsonl
    sqljury evaluate $home.jsonl -d "$DATA"/$home/databases --groups $G+difficulty+asked --features f-$home.jsonl
done
python "$here"/ordinary_features.py f-*.jsonl --out fit.jsonl
python "$here"/ordinary_features.py f-*.jsonl --part aside --out aside.jsonl
W="--weight methods=.2 --weight bugs=.2 --weight flex=.2 --weight spider-train=1.5 --weight kaggle-dbqa=1.5
    --weight spider-dev/flight_2=.3 --weight spider-dk/flight_2=.3"
sqljury train jury fit.jsonl silver.jsonl --groups $G $W --out everyday.npz
sqljury train jury fit.jsonl silver.jsonl --groups $G $W --reference rows --out rows.npz
python "$here"/ordinary_linking.py "$DATA" cases.jsonl --work linking --out linking.jsonl
python "$here"/ordinary_features.py f-*.jsonl --linking linking.jsonl --out alone.jsonl
sqljury train jury alone.jsonl silver.jsonl --groups $G+difficulty $W --reference none --out unreferenced.npz
python "$here"/ordinary_jury.py fit.jsonl --also silver.jsonl --without
python "$here"/ordinary_jury.py fit.jsonl --also silver.jsonl --aside aside.jsonl
