# snippets.awk -- takes the code blocks of one page apart, for check-snippets, which says what becomes of them.
#
#   awk -v folder=OUT -f snippets.awk TARGETS PAGE       a page of Markdown
#   awk -v folder=OUT -f snippets.awk TARGETS FILE...    the doc comments of Swift files, each block a scope of its own,
#                                                        behind all of Comments.swift
#
# Writes into OUT: main.swift and main.c, the programs; Package.swift; console, a script of commands; printed, what
# blocks print. In `printed`, and in what programs print, a line that begins with a byte 1 names the block that follows.

# TARGETS is the text of the Makefile: which targets it has; the last of them may be patterns.
NR == 1 { makefile = FILENAME; manifest = folder "/Package.swift" }
FILENAME == makefile {
    if (/^[a-z][a-zA-Z0-9 %_-]*:([^=]|$)/) {
        sub(/:.*/, "")
        for (i = 1; i <= NF; i++) targets[$i] = 1
    }
    next
}

FNR == 1 { comments = FILENAME ~ /[.]swift$/ }
FILENAME ~ /Comments[.]swift$/ {
    if (FNR == 1) print "#sourceLocation(file: \"" FILENAME "\", line: 1)" > (folder "/main.swift")
    print > (folder "/main.swift")
    next
}
comments {
    if (!sub(/^ *\/\/\/ ?/, "")) { leave_comment(); next }
    if ($0 !~ /^```/ && kind == "") next
}

# Commands in the text: `make NAME`.
kind == "" {
    for (text = $0; match(text, /`make [^`]*`/); text = substr(text, RSTART + RLENGTH))
        check_targets(substr(text, RSTART + 1, RLENGTH - 2))
}

# Blocks that readers see.
/^ *```/ && (kind == "" || visible) {
    if (kind != "") { end(); next }
    match($0, /^ */)
    indent = RLENGTH
    begin(substr($0, indent + 4))
    visible = 1
    next
}

# Code that readers do not see.
kind == "" && /^<!-- (swift|c)$/ { begin($2); visible = 0; next }
kind != "" && !visible && /^-->$/ { end(); next }
kind == "" && /^<!-- output -->$/ { if (ran == "") fail("there is no program that could print this"); output = 1; next }

kind != "" {
    line = visible && substr($0, 1, indent) ~ /^ *$/ ? substr($0, indent + 1) : $0
    if (line == "" && (kind == "swift" || kind == "c")) line = " "
    if (fresh) { fresh = 0; first(line) }
    if (kind == "sh") check_targets(line)
    else if (kind == "console") command(line)
    else if (file != "") print line > file
}

END {
    if (kind != "") fail("the block does not end")
    exit failed
}

function place() { return FILENAME ":" FNR }

function fail(why) {
    print place() ": error: " why
    failed = 1
}

function begin(name) {
    if (name !~ /^(swift|c|sh|console|text)$/) fail("blocks are of swift, c, sh, console or text, not \"" name "\"")
    kind = name
    fresh = 1
    file = ""
    if (kind != "text") output = 0
    else if (output) { file = folder "/printed"; print "\001" ran > file }
}

# The first line of a block decides on what becomes of it.
function first(line) {
    if (kind == "swift" && line ~ /^\/\/ swift-tools-version:/) file = manifest
    else if (kind == "swift") {
        file = folder "/main.swift"
        if (visible) print "print(\"\\u{1}" (ran = place()) "\")" > file
        if (comments) print "do {" > file
        print "#sourceLocation(file: \"" FILENAME "\", line: " FNR ")" > file
    } else if (kind == "c") {
        file = folder "/main.c"
        if (visible && ran_c == "") print (ran_c = place()) > (folder "/main.c.place")
        if (visible) ran = ran_c
        print "#line " FNR " \"" FILENAME "\"" > file
    }
}

function end() {
    if (kind == "swift" && file != manifest) {
        print "#sourceLocation()" > file
        if (comments) print "}" > file
    }
    kind = ""
    output = 0
}

# A comment that ends inside of a block.
function leave_comment() {
    if (kind == "") return
    fail("the block does not end")
    end()
}

# A line of a console: a command, or what it prints.
function command(line) {
    file = folder "/console"
    if (line ~ /^[$] /) {
        print "printf '\\001%s\\n' '" place() "'" > file
        print "{ " substr(line, 3) "; } 2>&1 || true" > file
        print "\001" place() > (folder "/printed")
    } else print line > (folder "/printed")
}

# The targets of a command exist. Words in capital letters stand for something else.
function check_targets(text, words, count, i, name) {
    gsub(/"[^"]*"/, "", text)
    sub(/ #.*/, "", text)
    count = split(text, words, " ")
    for (i = 1; i <= count && words[i] != "make"; i++);
    while (++i <= count && words[i] !~ /^[;&|]/)
        if (words[i] !~ /=/ && words[i] !~ /^-/ && !is_target(words[i])) fail("there is no target \"" words[i] "\"")
}

function is_target(name, pattern, stem) {
    if (name in targets) return 1
    for (pattern in targets) {
        stem = pattern
        if (sub(/%.*/, "", stem) && index(name, stem) == 1) return 1
    }
    return 0
}
