#!/usr/bin/perl
# Compares the links in Markdown documents with the files in their folder.
#
#     links.pl FOLDER          prints dead links, and fails if there is one
#     links.pl --fix FOLDER    writes documents that were installed without the files of the source: links to files that
#                              have another place in the package are changed, and other dead links become plain text
use strict;
use warnings;

my $fixes = @ARGV && $ARGV[0] eq '--fix' ? shift : undef;
my $folder = shift or die "usage: links.pl [--fix] FOLDER\n";

# The places of files of the source in the package.
my %places = (
    'CHANGELOG.md' => 'changelog.gz',
    'LICENSE' => 'copyright',
    '../Packaging/prometheus/rules.yml' => '/usr/share/dtvr/prometheus/rules.yml',
    '../Packaging/prometheus/pairs.yml' => '/usr/share/dtvr/prometheus/pairs.yml',
    '../Packaging/prometheus/collector.yml' => '/usr/share/dtvr/prometheus/collector.yml',
    '../Packaging/prometheus/alertmanager.yml' => '/usr/share/dtvr/prometheus/alertmanager.yml',
    '../Packaging/grafana/dashboard.json' => '/usr/share/dtvr/grafana/dashboard.json',
);

my $dead = 0;
for my $path (glob("$folder/*.md $folder/*/*.md")) {
    my ($directory) = $path =~ m{^(.*)/};
    open(my $input, '<', $path) or die "$path: $!\n";
    my $text = do { local $/; <$input> };
    close $input;
    my $isAlive = sub {
        my ($target) = @_;
        return 1 if $target =~ m{^([a-z]+:|/usr/)} || $target eq '';
        return -e "$directory/$target";
    };
    my $link = sub {
        my ($whole, $words, $target, $anchor) = @_;
        $target = $places{$target} if $fixes && exists $places{$target};
        my ($mark) = $whole =~ /^(!?)/;
        if ($isAlive->($target)) { return "$mark\[$words]($target$anchor)" }
        return $words if $fixes;
        $dead++;
        print "$path: $target\n";
        return $whole;
    };
    # An image, or a link whose text contains no brackets.
    $text =~ s/(!?\[([^\[\]]*)\]\(([^()\s#]*)((?:#[^()\s]*)?)\))/$link->($1, $2, $3, $4)/ge;
    next unless $fixes;
    open(my $output, '>', $path) or die "$path: $!\n";
    print $output $text;
    close $output;
}
exit($dead > 0);
