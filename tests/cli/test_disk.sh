# Full disks and folders that may not be written: status 3, the file and the reason are named, what was complete stays.
. "$(dirname "$0")/lib.sh"
small_scene small.json

# --- no permission. Root may write anywhere, so it becomes nobody for this
mkdir locked
chmod 555 locked
as_nobody=()
if [ "$(id -u)" -eq 0 ]; then
    if command -v setpriv >/dev/null && setpriv --reuid 65534 --clear-groups test -x "$meniscus" 2>/dev/null; then
        chmod 755 "$scratch"
        as_nobody=(setpriv --reuid 65534 --clear-groups)
    else
        as_nobody=(none)
    fi
fi
if [ "${as_nobody[*]-}" != none ]; then
    expect 3 ${as_nobody[@]+"${as_nobody[@]}"} "$meniscus" run small.json --out locked/run
    says err.txt "locked/run"
    says err.txt "Permission denied"
    [ -e locked/run ] && fail "something was written"
    cp small.json secret.json
    chmod 000 secret.json
    ${as_nobody[@]+"${as_nobody[@]}"} "$meniscus" info secret.json >out.txt 2>err.txt
    [ $? -eq 3 ] || fail "info of a file without permission"
    says err.txt "Permission denied"
fi
expect 3 "$meniscus" run small.json --out /proc/nowhere/run
says err.txt "/proc/nowhere"
echo file >file
expect 3 "$meniscus" run small.json --out file/run

# --- files that may not grow: a limit per file stands for a full disk
# (SIGXFSZ is ignored by the command itself)
(
    ulimit -f 8
    "$meniscus" run small.json --out limited --quiet >out.txt 2>err.txt
)
status=$?
[ $status -eq 3 ] || fail "status $status under a file size limit"
says err.txt "limited/"
says err.txt "File too large"
find limited -name '*.part' | grep -q . && fail "a half file is left"

# --- a disk that fills up during the run
mkdir small_disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=1m tmpfs small_disk 2>/dev/null; then
    trap 'umount "$scratch/small_disk"; rm -rf "$scratch"' EXIT
    expect 3 "$meniscus" run small.json --out small_disk/run --quiet --until 100
    says err.txt "No space left on device"
    says err.txt "small_disk/run/"
    find small_disk -name '*.part' | grep -q . && fail "a half file is left on the full disk"
    for frame in small_disk/run/frames/*_*.vtp; do
        "$meniscus" info "$frame" >out.txt 2>err.txt || fail "$frame cannot be read"
    done
    for table in stats bodies probes; do
        tail -c1 small_disk/run/$table.csv | od -An -c | grep -q '\\n' || fail "$table.csv ends with half a row"
    done
    expect 0 "$meniscus" info small_disk/run/checkpoint.mnc
    # with room again it goes on, to the same files
    mount -o remount,size=64m small_disk
    expect 0 "$meniscus" run small.json --out small_disk/run --resume --quiet --until 0.5
    expect 0 "$meniscus" run small.json --out whole --quiet --until 0.5
    frames=$(find small_disk/run/frames -name 'water_*.vtp' | wc -l)
    [ "$frames" -eq 26 ] && same_run whole small_disk/run
    # read-only from here on
    mount -o remount,ro small_disk
    expect 3 "$meniscus" run small.json --out small_disk/other
    says err.txt "Read-only file system"
    expect 3 "$meniscus" run small.json --out small_disk/run --resume --until 0.6
    says err.txt "Read-only file system"
    expect 0 "$meniscus" info small_disk/run
else
    echo "no small file system could be mounted; that part was left out"
fi
finish
