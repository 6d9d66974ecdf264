use strict;
use warnings;
use Test::More tests => 3;

pass("passes");
die "cannot connect to 127.0.0.1:5432";
