import "./no-such-module";
