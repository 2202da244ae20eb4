#!/bin/sh
# The name of a method stands in its own files, in the table of methods and in the table of keys (and where scenes are read and
# written by them), and nowhere else: what others need to know of a method is a property that it states.
set -u
root=$1
status=0
# tables of methods, and elastic_system.c, which says by name what a model is for
tables='src/fluid/pressure/method.c src/coupling/method.c src/fluid/tension/tension.c src/elastic/body.c src/elastic/elastic_system.c'
names=$(grep -oE '\bMN_(PRESSURE|COUPLING|TENSION|ELASTIC)_[A-Z_0-9]+' "$root/include/meniscus/defs.h" | sort -u)
count=$(echo "$names" | wc -l)
[ "$count" -ge 8 ] || { echo "only $count names of methods in defs.h: has it changed?"; exit 1; }
for table in $tables; do
    [ -f "$root/$table" ] || { echo "there is no $table: where is the table of methods now?"; status=1; }
done

for name in $names; do
    word=$(echo "$name" | sed -E 's/MN_[A-Z]+_//' | tr 'A-Z' 'a-z')
    # code only: comments may explain
    found=$(cd "$root" && grep -rnE "\b$name\b|\"$word\"" src --include='*.[ch]' | grep -vE '^[^:]*:[0-9]+: *//' |
        grep -vE '^src/(defs|scene)/' | grep -vE "^src/[^:]*/${word}[^/:]*:")
    for table in $tables; do
        found=$(echo "$found" | grep -v "^$table:")
    done
    found=$(echo "$found" | grep -vE "\.name = \"$word\"|\.type = $name\b")
    if [ -n "$found" ]; then
        echo "$name (\"$word\") outside of its files and the tables:"
        echo "$found"
        status=1
    fi
done
exit $status
