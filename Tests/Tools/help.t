$ strata --help
OVERVIEW: Look into a Strata file, change it, and move data in and out.

EXAMPLES
  strata ls zoo.realm
  strata show zoo.realm "Dog where age > 3 sort name limit 20"
  strata query zoo.realm "Dog where owner.name == 'Jane'" --json
  strata import zoo.realm dogs.csv --class Dog
  strata watch zoo.realm "Task where done == false"

A query is the name of a class, and then, as far as it is needed: where and a
condition, sort and properties (desc behind one that descends), limit, skip.
Conditions are those of NSPredicate.

Commands do not disturb the programs that use a file, and only insert, set,
delete, import, migrate, salvage, compact and changes --keep write, and studio
and serve with --write. Answers go to the standard output, everything else to
the error output. Where that is no terminal, an answer has columns separated by
tabs.

EXIT CODES
  0  done
  1  no: there is a difference, a flaw, no such object, or nothing with
     --exit-code
  2  the command line or the data is wrong
  3  a file cannot be opened or written
  4  the file is damaged
  5  others kept the file for too long
  6  refused, because data would be lost
130  interrupted

USAGE: strata <subcommand>

OPTIONS:
  --version               Show the version.
  -h, --help              Show help information.

LOOKING SUBCOMMANDS:
  ls                      List the classes of a file, with the number of their
                          objects.
  show                    Show the first objects of a class or a query, and how
                          many there are.
  query                   Write all objects of a class or a query.
  get                     Show one object, and on a terminal what links to it.
  count                   Count the objects of a class or a query.
  facets                  Tell which values a property has, and how many
                          objects have each.
  explain                 Run a query, and tell how: which indexes, how many
                          rows were looked at, how long it took.
  watch                   Show the result of a query, and go on showing it as
                          any program changes it.
  changes                 Tell what commits change, of whichever program.
  studio                  Show a file in a browser.
  serve                   Answer the questions of programs about a file, over
                          HTTP.
  shell                   Take commands for one file, line by line.

CHANGING SUBCOMMANDS:
  insert                  Create an object.
  set                     Change properties of the objects of a query.
  delete                  Delete the objects of a query, and the embedded
                          objects in them.

MOVING SUBCOMMANDS:
  import                  Read objects from lines of JSON, a JSON document, CSV
                          or plain columns.
  export                  Write objects as lines of JSON, a JSON document, CSV
                          or plain columns.
  schema                  Write the classes of a file: as text, as Swift, as C;
                          or what separates it from others.
  migrate                 Give a file the classes of a schema.
  convert-models          Rewrite models of the older style, @objc dynamic var,
                          to @Persisted.

LOOKING AFTER FILES SUBCOMMANDS:
  check                   Read every page, row, index entry and link of a file;
                          4 if something is damaged.
  salvage                 Write what can be read of a damaged file into a new
                          one.
  compact                 Rewrite a file without its free space. Nobody may
                          have it open.
  backup                  Copy a file as of its newest commit, while programs
                          use it.
  readers                 List the snapshots that programs hold, the oldest
                          first: they keep old space from being used again.
  stat                    Figures about a file.
  doctor                  Look for what commonly goes wrong with a file, and
                          say what to do; 1 if something does.
  completion              Write a script with which a shell completes commands,
                          and names of classes and properties.

  See 'strata help <subcommand>' for detailed help.

$ strata help import
OVERVIEW: Read objects from lines of JSON, a JSON document, CSV or plain
columns.

EXAMPLES
  strata import zoo.realm dogs.csv --class Dog --primary id
  strata import zoo.realm export.ndjson --update
  curl https://example.org/dogs.ndjson | strata import zoo.realm - --class Dog

Classes that the file does not have are guessed from the text, shown, and
created after a yes; for that the text is a file, and no pipe. All is imported,
or nothing; a line that does not fit ends it, unless --rejects says where to
put such lines.

USAGE: strata import [<options>] <file> <source>

ARGUMENTS:
  <file>                  The file.
  <source>                The text; - is the standard input.

OPTIONS:
  --class <class>         The class of objects that do not name theirs; of CSV,
                          all.
  --format <format>       ndjson, json, csv or plain. Without it the end of the
                          name of the source tells, or what JSON begins with.
  --primary <primary>     Which property of a new class is the primary key.
  --separator <separator> What separates the fields of CSV; tab for a tab.
  --update                Update objects whose primary key is there; otherwise
                          such a line does not fit.
  --keys                  The text was exported from this file: $key names its
                          objects.
  --ignore-unknown        Pass over properties that the class does not have.
  --rejects <rejects>     A new file for lines that do not fit, each with its
                          number and the reason beside it.
  --batch <batch>         Commit after about so many MiB of text, which bounds
                          the memory; otherwise all or nothing.
  --dry-run               Do everything but keep it.
  -y, --yes               Create new classes without a question.
  --version               Show the version.
  -h, --help              Show help information.

$ for command in ls show query get count facets explain watch changes studio shell insert set delete import export schema migrate check salvage compact backup readers stat doctor completion; do strata $command --help | head -1; done
OVERVIEW: List the classes of a file, with the number of their objects.
OVERVIEW: Show the first objects of a class or a query, and how many there are.
OVERVIEW: Write all objects of a class or a query.
OVERVIEW: Show one object, and on a terminal what links to it.
OVERVIEW: Count the objects of a class or a query.
OVERVIEW: Tell which values a property has, and how many objects have each.
OVERVIEW: Run a query, and tell how: which indexes, how many rows were looked
OVERVIEW: Show the result of a query, and go on showing it as any program
OVERVIEW: Tell what commits change, of whichever program.
OVERVIEW: Show a file in a browser.
OVERVIEW: Take commands for one file, line by line.
OVERVIEW: Create an object.
OVERVIEW: Change properties of the objects of a query.
OVERVIEW: Delete the objects of a query, and the embedded objects in them.
OVERVIEW: Read objects from lines of JSON, a JSON document, CSV or plain
OVERVIEW: Write objects as lines of JSON, a JSON document, CSV or plain
OVERVIEW: Write the classes of a file: as text, as Swift, as C; or what
OVERVIEW: Give a file the classes of a schema.
OVERVIEW: Read every page, row, index entry and link of a file; 4 if something
OVERVIEW: Write what can be read of a damaged file into a new one.
OVERVIEW: Rewrite a file without its free space. Nobody may have it open.
OVERVIEW: Copy a file as of its newest commit, while programs use it.
OVERVIEW: List the snapshots that programs hold, the oldest first: they keep
OVERVIEW: Figures about a file.
OVERVIEW: Look for what commonly goes wrong with a file, and say what to do; 1
OVERVIEW: Write a script with which a shell completes commands, and names of

$ strata
OVERVIEW: Look into a Strata file, change it, and move data in and out.

EXAMPLES
  strata ls zoo.realm
  strata show zoo.realm "Dog where age > 3 sort name limit 20"
  strata query zoo.realm "Dog where owner.name == 'Jane'" --json
  strata import zoo.realm dogs.csv --class Dog
  strata watch zoo.realm "Task where done == false"

A query is the name of a class, and then, as far as it is needed: where and a
condition, sort and properties (desc behind one that descends), limit, skip.
Conditions are those of NSPredicate.

Commands do not disturb the programs that use a file, and only insert, set,
delete, import, migrate, salvage, compact and changes --keep write, and studio
and serve with --write. Answers go to the standard output, everything else to
the error output. Where that is no terminal, an answer has columns separated by
tabs.

EXIT CODES
  0  done
  1  no: there is a difference, a flaw, no such object, or nothing with
     --exit-code
  2  the command line or the data is wrong
  3  a file cannot be opened or written
  4  the file is damaged
  5  others kept the file for too long
  6  refused, because data would be lost
130  interrupted

USAGE: strata <subcommand>

OPTIONS:
  --version               Show the version.
  -h, --help              Show help information.

LOOKING SUBCOMMANDS:
  ls                      List the classes of a file, with the number of their
                          objects.
  show                    Show the first objects of a class or a query, and how
                          many there are.
  query                   Write all objects of a class or a query.
  get                     Show one object, and on a terminal what links to it.
  count                   Count the objects of a class or a query.
  facets                  Tell which values a property has, and how many
                          objects have each.
  explain                 Run a query, and tell how: which indexes, how many
                          rows were looked at, how long it took.
  watch                   Show the result of a query, and go on showing it as
                          any program changes it.
  changes                 Tell what commits change, of whichever program.
  studio                  Show a file in a browser.
  serve                   Answer the questions of programs about a file, over
                          HTTP.
  shell                   Take commands for one file, line by line.

CHANGING SUBCOMMANDS:
  insert                  Create an object.
  set                     Change properties of the objects of a query.
  delete                  Delete the objects of a query, and the embedded
                          objects in them.

MOVING SUBCOMMANDS:
  import                  Read objects from lines of JSON, a JSON document, CSV
                          or plain columns.
  export                  Write objects as lines of JSON, a JSON document, CSV
                          or plain columns.
  schema                  Write the classes of a file: as text, as Swift, as C;
                          or what separates it from others.
  migrate                 Give a file the classes of a schema.
  convert-models          Rewrite models of the older style, @objc dynamic var,
                          to @Persisted.

LOOKING AFTER FILES SUBCOMMANDS:
  check                   Read every page, row, index entry and link of a file;
                          4 if something is damaged.
  salvage                 Write what can be read of a damaged file into a new
                          one.
  compact                 Rewrite a file without its free space. Nobody may
                          have it open.
  backup                  Copy a file as of its newest commit, while programs
                          use it.
  readers                 List the snapshots that programs hold, the oldest
                          first: they keep old space from being used again.
  stat                    Figures about a file.
  doctor                  Look for what commonly goes wrong with a file, and
                          say what to do; 1 if something does.
  completion              Write a script with which a shell completes commands,
                          and names of classes and properties.

  See 'strata help <subcommand>' for detailed help.

$ strata ls --nonsense x
strata: Unknown option '--nonsense'
Usage: strata ls <file> [--json] [--csv] [--plain] [--no-color] [--no-pager]
  See 'strata ls --help' for more information.
[2]
