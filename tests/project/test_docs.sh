# The texts keep their promises: links lead somewhere, and the scenes that they print are scenes.
. "$(dirname "$0")/lib.sh"
make_scratch
cd "$source_dir"

while IFS= read -r page; do
    for link in $(grep -oE '\]\([^)# ]+' "$page" | sed 's/^](//' | grep -vE '^[a-z]+:'); do
        [ -e "$(dirname "$page")/$link" ] || fail "$page links to $link, which does not exist"
    done
done < <(project_files | grep '\.md$')

# the gallery shows every scene, and every picture is shown somewhere
while IFS= read -r scene; do
    grep -qF "$scene" docs/gallery.md || fail "docs/gallery.md does not show $scene"
done < <(project_files | grep -E '^scenes/.*\.json$')
while IFS= read -r picture; do
    grep -qF "${picture#docs/}" docs/*.md docs/theory/*.md README.md || fail "no text shows $picture"
done < <(project_files | grep '^docs/images/')
for scene in $(grep -ohE 'scenes/[a-z_/0-9]+\.json' README.md docs/*.md docs/theory/*.md | sort -u); do
    [ -e "$scene" ] || fail "the texts name $scene, which does not exist"
done

# whole scenes, that is JSON blocks with fluids, of README and docs
meniscus=$build_dir/bin/meniscus
[ -x "$meniscus" ] || fail "no command at $meniscus"
count=0
while IFS= read -r page; do
    rm -f "$scratch"/*.json
    awk -v out="$scratch/block" '/^```json$/ { n++; inside = 1; next } /^```$/ { inside = 0 } inside { print > (out n ".json") }' "$page"
    for scene in "$scratch"/*.json; do
        [ -e "$scene" ] && grep -q '"fluids"' "$scene" || continue
        count=$((count + 1))
        "$meniscus" check "$scene" >"$scratch/log" 2>&1 || fail "a scene of $page: $(cat "$scratch/log")"
    done
done < <(project_files | grep '\.md$')
[ "$count" -ge 1 ] || fail "found no scene in the texts"
finish
