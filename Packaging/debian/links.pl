#!/usr/bin/perl
# Opens the links of installed documents: those in Markdown, and the file URLs in the files for Prometheus and Grafana.
#
#     links.pl FOLDER...          prints links to files and headings that do not exist, and fails if there is one
#     links.pl --root DIR FOLDER...
#                                 the same for files that were installed under DIR
#     links.pl --fix [--root DIR] FOLDER
#                                 writes documents that were installed without the files of the source: links to files
#                                 that have another place in the package are changed, other dead links become plain text
use strict;
use warnings;

my $fixes = @ARGV && $ARGV[0] eq '--fix' ? shift : undef;
my $root = '';
if (@ARGV > 1 && $ARGV[0] eq '--root') { shift; $root = shift; }
@ARGV or die "usage: links.pl [--fix] [--root DIR] FOLDER...\n";

# The places of files of the source in the package.
my %places = (
    'CHANGELOG.md' => 'changelog.gz',
    'LICENSE' => 'copyright',
    map { ("../Packaging/$_" => "/usr/share/dtvr/$_") }
        qw(prometheus/rules.yml prometheus/pairs.yml prometheus/collector.yml prometheus/alertmanager.yml
           grafana/dashboard.json grafana/collectors.json)
);

sub contents {
    my ($path) = @_;
    open(my $input, '<', $path) or die "$path: $!\n";
    local $/;
    return <$input>;
}

# The anchors of a document: those of its headings as on GitHub, and the named ones.
my %anchors;
sub hasAnchor {
    my ($path, $anchor) = @_;
    return 1 if $anchor eq '' || $path !~ /\.md$/;
    unless ($anchors{$path}) {
        my (%known, %count);
        my $text = contents($path);
        $known{$1} = 1 while $text =~ /<a (?:id|name)="([^"]+)"/g;
        while ($text =~ /^#+ +(.+?) *$/mg) {
            my $name = lc $1;
            $name =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
            $name =~ s/[^\w\x80-\xff. -]//g;
            $name =~ s/\.// unless $name =~ /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;
            my $dotted = $name;
            $name =~ s/\.//g;
            s/ /-/g for $name, $dotted;
            my $number = $count{$name}++;
            $known{$number ? "$name-$number" : $name} = 1;
            $known{$dotted} = 1;
        }
        $anchors{$path} = \%known;
    }
    return $anchors{$path}{$anchor};
}

my $dead = 0;
sub report {
    my ($path, $target) = @_;
    $dead++;
    print "$path: $target\n";
}

for my $folder (@ARGV) {
    for my $path (glob("$folder/*.yml $folder/*.json $folder/*/*.yml $folder/*/*.json")) {
        next if $fixes;
        my $text = contents($path);
        while ($text =~ m{file://(/[^\s'"#<>]+)(?:#([^\s'"<>]+))?}g) {
            my ($target, $anchor) = ($1, $2 // '');
            report($path, "$target#$anchor") unless -e "$root$target" && hasAnchor("$root$target", $anchor);
        }
    }
    for my $path (glob("$folder/*.md $folder/*/*.md")) {
        my ($directory) = $path =~ m{^(.*)/};
        my $text = contents($path);
        my $isAlive = sub {
            my ($target, $anchor) = @_;
            return 1 if $target =~ m{^[a-z]+:};
            return -e "$root$target" if $target =~ m{^/};
            my $file = $target eq '' ? $path : "$directory/$target";
            return -e $file && ($fixes || hasAnchor($file, $anchor =~ s/^#//r));
        };
        my $link = sub {
            my ($whole, $words, $target, $anchor) = @_;
            $target = $places{$target} if $fixes && exists $places{$target};
            my ($mark) = $whole =~ /^(!?)/;
            if ($isAlive->($target, $anchor)) { return "$mark\[$words]($target$anchor)" }
            return $words if $fixes;
            report($path, "$target$anchor");
            return $whole;
        };
        # An image, or a link whose text contains no brackets; not in code.
        $text =~ s/(!?\[([^\[\]]*)\]\(([^()\s#]*)((?:#[^()\s]*)?)\))/$link->($1, $2, $3, $4)/ge;
        next unless $fixes;
        open(my $output, '>', $path) or die "$path: $!\n";
        print $output $text;
        close $output;
    }
}
exit($dead > 0);
