package command

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
)

//go:embed skill.md
var skill string

func newSkill(s *session) *cobra.Command {
	cmd := s.command("skill", "Print the skill for agents: how they find, read and resolve reports", tree.NoArgs,
		func(context.Context, []string) error {
			_, err := s.out.Out.Write([]byte(skill))
			return err
		})
	cmd.AddCommand(newSkillInstall(s))
	return cmd
}

// agents are where agents look for skills, below the home folder or that of a project.
var agents = []struct{ name, folder string }{
	{"claude", ".claude/skills"}, {"codex", ".agents/skills"}, {"cursor", ".cursor/skills"}, {"gemini",
		".gemini/skills"},
}

func newSkillInstall(s *session) *cobra.Command {
	var chosen []string
	var project bool
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.name
	}
	cmd := s.changing(s.command("install", "Put the skill where agents look for it", tree.NoArgs,
		func(context.Context, []string) error {
			for _, name := range chosen {
				if !slices.Contains(names, name) {
					return tree.Usagef("--agent must be some of %s, not %q", strings.Join(names, ", "), name)
				}
			}
			base := s.variables["HOME"]
			if project {
				var err error
				if base, err = s.env.folder(); err != nil {
					return err
				}
			}
			if base == "" {
				return tree.Usagef("there is no home folder; --project installs it in this one")
			}
			return s.installSkill(base, chosen)
		}))
	cmd.Long = "Put the skill where Claude Code, Codex, Cursor and Gemini CLI look for it: for all projects of " +
		"yours or, with --project, in this " +
		"folder. Without --agent it is installed for those that are in use here, or else for all."
	cmd.Flags().StringSliceVar(&chosen, "agent", nil, "`agent`: "+strings.Join(names, ", ")+"; repeatable")
	cmd.Flags().BoolVar(&project, "project", false, "in this folder, for all who work on it")
	return cmd
}

func (s *session) installSkill(base string, chosen []string) error {
	if len(chosen) == 0 {
		for _, a := range agents {
			if _, err := os.Stat(filepath.Join(base, filepath.Dir(a.folder))); err == nil {
				chosen = append(chosen, a.name)
			}
		}
	}
	for _, a := range agents {
		if len(chosen) > 0 && !slices.Contains(chosen, a.name) {
			continue
		}
		file := filepath.Join(base, a.folder, "bugslice", "SKILL.md")
		if !s.dryRun {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(file, []byte(skill), 0o644); err != nil { //nolint:gosec // agents read it
				return err
			}
		}
		if err := s.out.Line(s.out.Out, "%s\t%s", a.name, file); err != nil {
			return err
		}
	}
	return nil
}
