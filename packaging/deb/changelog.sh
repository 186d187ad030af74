#!/bin/sh
# changelog.sh CHANGELOG.md PACKAGE MAINTAINER: writes the changelog in Debian's format.
export LC_ALL=C
awk -v package="$2" -v maintainer="$3" '
    function finish() {
        if (!date) return
        # Releases of one day are a minute apart: Debian wants each entry newer than the one before.
        split(version, part, ".")
        command = sprintf("date -u -R -d \"%s %02d:%02d\"", date, part[2] / 60, part[2] % 60)
        command | getline stamp
        close(command)
        printf "\n -- %s  %s\n\n", maintainer, stamp
    }
    /^## [0-9]/ {
        finish()
        date = substr($3, 2, 10)
        version = $2
        printf "%s (%s) unstable; urgency=medium\n\n", package, $2
    }
    date && /^- / {
        gsub(/`/, "")
        line = "  *"
        for (i = 2; i <= NF; ++i) {
            if (length(line) + length($i) > 78) { print line; line = "   " }
            line = line " " $i
        }
        print line
    }
    END { finish() }' "$1"
