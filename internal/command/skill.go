package command

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
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
	var project, force bool
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
			return s.installSkill(base, chosen, overwriting(force))
		}))
	cmd.Long = "Put the skill where Claude Code, Codex, Cursor and Gemini CLI look for it: for all projects of " +
		"yours or, with --project, in this " +
		"folder. Without --agent it is installed for those that are in use here, or else for all."
	cmd.Flags().StringSliceVar(&chosen, "agent", nil, "`agent`: "+strings.Join(names, ", ")+"; repeatable")
	cmd.Flags().BoolVar(&project, "project", false, "in this folder, for all who work on it")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite a skill that was changed")
	return cmd
}

// overwriting is whether a file that differs is overwritten.
type overwriting bool

func (s *session) installSkill(base string, chosen []string, force overwriting) error {
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
			if err := writeSkill(base, filepath.Join(a.folder, "bugslice"), force); err != nil {
				return err
			}
		}
		if err := s.out.Line(s.out.Out, "%s\t%s", a.name, file); err != nil {
			return err
		}
	}
	return nil
}

// writeSkill writes the skill into a folder below base. It leaves base by no link, and overwrites a file that differs
// only by force.
func writeSkill(base, folder string, force overwriting) error {
	root, err := os.OpenRoot(base)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("%w; a link must not leave %s", err, base)
	}
	file := filepath.Join(folder, "SKILL.md")
	before, err := root.ReadFile(file)
	switch {
	case err == nil && string(before) == skill:
		return nil
	case !errors.Is(err, os.ErrNotExist) && !bool(force):
		return tree.Usagef("%s has another skill; --force overwrites it", filepath.Join(base, file))
	}
	partial := filepath.Join(folder, ".SKILL.md.new")
	_ = root.Remove(partial)
	if err := root.WriteFile(partial, []byte(skill), 0o644); err != nil { //nolint:gosec // agents read it
		return err
	}
	return root.Rename(partial, file)
}
