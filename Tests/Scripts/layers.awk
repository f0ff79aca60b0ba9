# layers.awk -- what the files of the C core use of each other; check-layers calls it.
#
# Every file is read twice: first to learn which names it defines, then to see which names of others it uses. A file and
# the header beside it count as one noun: `table/view.c` and `table/view.h` are both `table/view`. Only names that begin
# with st_ or strata_ can cross files; a name belongs to
#   - the .c file that defines the function or the variable, or else
#   - the header that defines the type, the macro, the constant or the inline function.
# A type that is also declared apart from its body (`struct st_edit;`) may be carried about by whoever sees that: only
# an include of the header with its body counts then. An inline function of a public header stands for the functions of
# the core that it calls.
# Definitions are found by the style of the house: they begin at the left margin.
#
# Variables: `ranks`, the folders from the lowest to the highest; `allowed`, pairs of nouns that may use each other,
# each written a=b. Arguments: the public headers and all files of the core, twice.

BEGIN {
    n = split(ranks, word, " ")
    for (i = 1; i <= n; i++) rank[word[i]] = i
    n = split(allowed, word, " ")
    for (i = 1; i <= n; i++) { split(word[i], two, "="); natural[two[1], two[2]] = natural[two[2], two[1]] = 1 }
}

FNR == 1 {
    second = (FILENAME in seen)
    seen[FILENAME] = 1
    noun = FILENAME
    is_header = sub(/\.h$/, "", noun)
    sub(/\.(c|def)$/, "", noun)
    folder = noun
    sub(/\/.*/, "", folder)
    is_public = folder == ".."
    if (!second && !is_public) begin_file()
    comment = in_type = in_enum = 0
    pending = ""
}

{ line = plain($0) }
!second              { define() }
second && is_public  { look_through() }
second && !is_public { use() }

function begin_file() {
    if (!(folder in rank)) bad("the folder " folder " has no place in the order of layers")
    folder_of[noun] = folder
    if (is_header) has_header[noun] = 1
}

# The line without its comments and without what its strings and characters hold.
function plain(text,    out, rest) {
    for (out = ""; text != ""; ) {
        if (comment) {
            if (!(rest = index(text, "*/"))) return out
            text = substr(text, rest + 2)
            comment = 0
        }
        if (!match(text, /"|'|\/\*|\/\//)) return out text
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART)
        if (out ~ /^[ \t]*#[ \t]*include[ \t]*$/) return out text
        if (text ~ /^\/\//) return out
        if (text ~ /^\/\*/) { comment = 1; text = substr(text, 3) }
        else if (match(text, /^"([^"\\]|\\.)*"/) || match(text, /^'([^'\\]|\\.)*'/)) text = substr(text, RLENGTH + 1)
        else return out
    }
    return out
}

# ---- The first reading: who defines what ------------------------------------

function define(    text) {
    sub(/^__attribute__\(\([^()]*(\([^()]*\))?[^()]*\)\) */, "", line)
    sub(/^STRATA_CHECKED +/, "", line)
    if (match(line, /^#define (st|ST|STRATA)_[A-Za-z0-9_]+/)) { own(substr(line, 9, RLENGTH - 8), "macro"); return }
    if (line ~ /^(typedef )?(struct|union|enum)[a-z0-9_ ]*[{]/) begin_type()
    else if (line ~ /^(typedef )?(struct|union|enum) [a-z0-9_ ]+;/) { declare(first_name(line)); return }
    else if (line ~ /^typedef .*\(\*/) own(function_type(line), "type")
    else if (line ~ /^typedef .*;/) own(last_name(line), "type")
    else if (is_header && line ~ /^extern .*;/) { sub(/[[;].*/, "", line); announce(last_name(line)) }
    else if (!in_type && line ~ /^[a-z_].*\(/) {
        pending = last_name(substr(line, 1, index(line, "(") - 1))
        is_static = line ~ /^static/
    }
    else if (!in_type && !is_header && line ~ /^[a-z_].*[^ ] *(=|;)/ && line !~ /^(static|extern)/) {
        sub(/ *[[=;].*/, "", line)
        own_function(last_name(line))
    }
    if (in_enum) define_constants()
    if (match(line, /^[}] [a-z0-9_]+;/)) own_type(substr(line, 3, RLENGTH - 3))
    if (in_type && (depth += gsub(/[{]/, "{", line) - gsub(/[}]/, "}", line)) <= 0) in_type = in_enum = 0
    if (pending != "" && line ~ /[{]/) end_function()
    else if (pending != "" && line ~ /;/) {
        if (is_header) announce(pending)
        pending = ""
    }
}

function announce(name) {
    if (name in declared_in && declared_in[name] != noun) bad(name " is declared in " declared_in[name] ".h, too")
    declared_in[name] = noun
}

# Most types are declared by a typedef just before their body, which says nothing.
function declare(name) {
    if (!(name in declarer)) declarer[name] = noun
    else if (declarer[name] != noun) opaque[name] = 1
    if (name in type_of && type_of[name] != noun) opaque[name] = 1
}

function begin_type() {
    in_type = 1
    depth = 0
    in_enum = line ~ /^(typedef )?enum/
    if (first_name(line) != "") own(first_name(line), "type")
}

function define_constants(    text) {
    text = line
    sub(/^[^{]*[{]/, "", text)
    gsub(/=[^,}]*/, "", text)
    while (match(text, /(ST|STRATA)_[A-Z0-9_]+/)) {
        own(substr(text, RSTART, RLENGTH), "constant")
        text = substr(text, RSTART + RLENGTH)
    }
}

function end_function() {
    if (!is_static) own_function(pending)
    else if (is_header) own(pending, "inline function")
    pending = ""
}

function first_name(text) { return match(text, /(st|strata)_[a-z0-9_]+/) ? substr(text, RSTART, RLENGTH) : "" }

function last_name(text) {
    sub(/[^A-Za-z0-9_]+$/, "", text)
    return match(text, /(st|strata)_[a-z0-9_]+$/) ? substr(text, RSTART, RLENGTH) : ""
}

# The name in typedef void (*name)(...).
function function_type(text) { return match(text, /\(\*[a-z0-9_]+\)/) ? last_name(substr(text, RSTART, RLENGTH)) : "" }

# A type or constant of a .c file is nobody else's.
function own(name, kind) {
    if (name == "") return
    if (kind == "type") own_type(name)
    if (kind == "type" && name in declarer && declarer[name] != noun) opaque[name] = 1
    if (!is_header) { local[FILENAME, name] = 1; return }
    if (!(name in owner)) { owner[name] = is_public ? "public" : noun; kind_of[name] = kind }
}

# No two types have one name, not even if no file sees both.
function own_type(name) {
    if (name in type_of && type_of[name] != noun) bad("there are two types " name ": the other in " type_of[name])
    type_of[name] = noun
}

function own_function(name) {
    if (name == "") return
    owner[name] = noun
    kind_of[name] = "function"
    if (name ~ /^st_/) definer[name] = noun
}

# ---- The second reading: who uses what --------------------------------------

function use(    text, name, i, count, called) {
    if (match(line, /^[ \t]*#[ \t]*include[ \t]*[<"][a-z]+\//)) {
        name = line
        sub(/^[^<"]*[<"]/, "", name)
        sub(/\.(h|def)[>"].*$/, "", name)
        if (name in folder_of) tie(name, "its header")
        else if (line ~ /"/) bad("there is no " name ".h")
        return
    }
    if (line ~ /^(typedef )?(struct|union|enum) [a-z0-9_ ]+;/) return
    for (text = line; match(text, /[A-Za-z_][A-Za-z0-9_]*/); text = substr(text, RSTART + RLENGTH)) {
        name = substr(text, RSTART, RLENGTH)
        count = split(calls[name], called, " ")
        for (i = 1; i <= count; i++) tie(owner[called[i]], called[i])
        if (!(name in owner) || owner[name] == "public" || (FILENAME, name) in local) continue
        if (kind_of[name] == "type" && name in opaque) continue
        if (is_header && kind_of[name] == "function" && line ~ /^[a-z]/ && line !~ /^static/) continue # a declaration
        tie(owner[name], name)
    }
}

# Public headers: notes which functions of the core an inline function calls, by itself or by another one.
function look_through(    text, name) {
    if (match(line, /^static inline [^(]*\(/)) caller = last_name(substr(line, 1, RLENGTH - 1))
    if (caller == "" || line ~ /^[^ \t}s]/) { caller = ""; return }
    for (text = line; match(text, /strata_[a-z0-9_]+/); text = substr(text, RSTART + RLENGTH)) {
        name = substr(text, RSTART, RLENGTH)
        if (name == caller) continue
        if (name in calls) calls[caller] = calls[caller] calls[name]
        if (kind_of[name] == "function") calls[caller] = calls[caller] " " name
    }
    if (line ~ /^[}]/ || line ~ /^static.*[}]$/) caller = ""
}

# The noun being read uses a name of another.
function tie(other, name,    there) {
    there = folder_of[other]
    if (other == noun) return
    if (there != folder) {
        if (rank[there] > rank[folder]) bad(folder "/ may not use " there "/: " name " of " other)
        return
    }
    if ((noun, other) in natural || (noun, other) in inside) return
    inside[noun, other] = name
    from[++ties] = noun
    to[ties] = other
}

# ---- The verdict ------------------------------------------------------------

function bad(why) { wrong(FILENAME ":" FNR ": " why) }
function wrong(why) { if (!(why in told)) print "CSources/strata/" why; told[why] = failed = 1 }

# Takes away what leads into no circle, and what no circle leads to, again and again. What is left is circles, and what
# leads from one to another.
function check_circles(    i, changed, uses, used) {
    do {
        changed = 0
        split("", uses)
        split("", used)
        for (i = 1; i <= ties; i++) if (!(i in harmless)) uses[from[i]] = used[to[i]] = 1
        for (i = 1; i <= ties; i++)
            if (!(i in harmless) && !(from[i] in used && to[i] in uses)) changed = harmless[i] = 1
    } while (changed)
    for (i = 1; i <= ties; i++)
        if (!(i in harmless)) wrong(from[i] " is in a circle: it uses " inside[from[i], to[i]] " of " to[i])
}

function check_headers(    name, where) {
    for (name in definer) {
        where = definer[name]
        if (!(where in has_header)) wrong(where ".c: " name " needs a header beside it, " where ".h")
        else if (declared_in[name] != where)
            wrong(where ".c: " name " is declared in " declared_in[name] ".h, not in the header beside it")
    }
    for (name in declared_in)
        if (name ~ /^st_/ && !(name in definer)) wrong(declared_in[name] ".h: " name " is declared and defined nowhere")
}

END {
    check_headers()
    check_circles()
    exit failed
}
