# SymbolGraph.pm -- reads the symbol graph of a module, which is JSON. Of perl itself it needs nothing but the core.
package SymbolGraph;
use strict;
use warnings;

my ($json, $file);

# The graph of a file, as hashes and arrays.
sub read {
    $file = $_[1];
    open my $in, '<', $file or die "$file: $!\n";
    $json = do { local $/; <$in> };
    return value();
}

# The public symbols among those of a graph.
sub public {
    my ($graph) = @_;
    return grep { $_->{accessLevel} =~ /^(public|open)$/ } @{$graph->{symbols}};
}

sub path { return join '.', @{$_[0]{pathComponents}} }

sub text {
    my ($text) = @_;
    return $text if index($text, '\\') < 0;
    $text =~ s{\\(?:u([0-9a-fA-F]{4})|(.))}{defined $1 ? chr hex $1 : $2 eq 'n' ? "\n" : $2 eq 't' ? "\t" : $2}ge;
    return $text;
}

# The value at the place where the last match ended.
sub value {
    $json =~ /\G\s*/gc;
    return text($1) if $json =~ /\G"((?:[^"\\]++|\\.)*+)"/gc;
    if ($json =~ /\G\{/gc) {
        my %all;
        until ($json =~ /\G\s*\}/gc) {
            $json =~ /\G\s*,?\s*"((?:[^"\\]++|\\.)*+)"\s*:/gc or die "$file: no JSON\n";
            my $name = $1;
            $all{$name} = value();
        }
        return \%all;
    }
    if ($json =~ /\G\[/gc) {
        my @all;
        until ($json =~ /\G\s*\]/gc) {
            $json =~ /\G\s*,/gc;
            push @all, value();
        }
        return \@all;
    }
    $json =~ /\G([^\s,\]\}]+)/gc or die "$file: no JSON\n";
    return $1;
}

1;
