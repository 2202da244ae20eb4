# Includes point one way: a room sees its own headers and those of the rooms that CMakeLists.txt lets it depend on; a
# third-party header is named in one room only; public headers include public headers.
. "$(dirname "$0")/lib.sh"
cd "$source_dir"

# check_includes CMAKELISTS < lines "path:include line": complaints on standard output
check_includes()
{
    awk -v graph="$1" '
    function learn_rooms(   line, n, word, i, name) {
        while ((getline line < graph) > 0) {
            if (line !~ /^room\(/) continue
            gsub(/[()]/, " ", line)
            n = split(line, word, /[ \t]+/)
            name = word[2]
            rooms[++count] = name
            sees[name, name] = 1
            for (i = 4; i <= n; i++)
                if (word[i] ~ /^room_/) sees[name, substr(word[i], 6)] = 1
        }
    }
    function close_graph(   i, j, k) {
        for (k = 1; k <= count; k++)
            for (i = 1; i <= count; i++)
                for (j = 1; j <= count; j++)
                    if (((rooms[i], rooms[k]) in sees) && ((rooms[k], rooms[j]) in sees)) sees[rooms[i], rooms[j]] = 1
    }
    function complain(text) { print path ": " text }
    function ours(header,   target) {
        target = header
        sub(/\/.*/, "", target)
        if (header !~ /\// && room ~ /^apps\/(cli|viewer)$/) return
        if (header !~ /\// || header ~ /\.\./) complain("include \"" header "\" does not name its room")
        else if (room == "include") complain("a public header includes \"" header "\"")
        else if (room ~ /^apps/) return
        else if (!((room, room) in sees)) complain("room " room " is not in CMakeLists.txt")
        else if (!((room, target) in sees)) complain("room " room " may not see " target " (\"" header "\")")
    }
    function theirs(header) {
        if (header ~ /^meniscus\// || header in system_header || header ~ /^(sys|linux)\//) return
        if (room == "include") complain("a public header includes <" header ">")
        if (header in owner && owner[header] != room) complain("<" header "> is already named in " owner[header])
        else owner[header] = room
    }
    BEGIN {
        learn_rooms(); close_graph()
        if (count < 5) { print "cannot read the rooms from " graph; exit }
        n = split("assert ctype dirent dlfcn errno fcntl fenv float getopt immintrin inttypes libgen limits locale malloc math poll" \
                  " pthread sched setjmp signal spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn" \
                  " string strings termios time unistd wchar wait x86intrin", word, " ")
        for (i = 1; i <= n; i++) system_header[word[i] ".h"] = 1
    }
    {
        path = $0; sub(/:.*/, "", path)
        header = $0; sub(/^[^:]*:[ \t]*#[ \t]*include[ \t]*/, "", header)
        room = path
        if (path ~ /^src\//) { sub(/^src\//, "", room); sub(/\/.*/, "", room) }
        else if (path ~ /^include\//) room = "include"
        else sub(/\/[^\/]*$/, "", room)
        quote = substr(header, 1, 1)
        header = substr(header, 2); sub(/[">].*/, "", header)
        if (quote == "\"") ours(header); else theirs(header)
    }'
}

include_lines() { project_files | grep -E '^(src|include|apps)/.*\.[ch]$' | xargs grep -HE '^[ \t]*#[ \t]*include'; }

# the check itself can fail: each of these lines must be complained about
bad='src/base/a.c:#include "fluid/density.h"
src/fluid/a.c:#include "scene/keys.h"
src/mesh/a.c:#include "particles/particles.h"
src/mesh/b.c:#include "../base/vec.h"
src/mesh/c.c:#include "tri_mesh.h"
include/meniscus/a.h:#include "base/vec.h"
include/meniscus/b.h:#include <jansson.h>
src/nowhere/a.c:#include "base/vec.h"'
while IFS= read -r line; do
    [ -n "$(echo "$line" | check_includes CMakeLists.txt)" ] || fail "the check accepts $line"
done <<<"$bad"
twice='src/scene/a.c:#include <jansson.h>
src/io/a.c:#include <jansson.h>'
[ -n "$(echo "$twice" | check_includes CMakeLists.txt)" ] || fail "the check accepts jansson.h in two rooms"
good='src/world/a.c:#include "base/vec.h"
src/scene/a.c:#include <jansson.h>
src/scene/b.c:#include <meniscus/scene.h>'
complaints=$(echo "$good" | check_includes CMakeLists.txt)
[ -z "$complaints" ] || fail "the check rejects good lines: $complaints"

complaints=$(include_lines | check_includes CMakeLists.txt)
[ -z "$complaints" ] || fail "includes against the direction:
$complaints"
finish
