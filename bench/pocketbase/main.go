// Command pocketbase is PocketBase with a collection that has the fields of a slice. `seed` fills it; `serve` is
// PocketBase's own.
package main

import (
	"fmt"
	"log"
	"strconv"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/security"
	"github.com/pocketbase/pocketbase/tools/types"
	"github.com/spf13/cobra"
)

func main() {
	app := pocketbase.New()
	app.RootCmd.AddCommand(&cobra.Command{Use: "seed SLICES WORKSPACES", Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			slices, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			workspaces, err := strconv.Atoi(args[1])
			if err != nil {
				return err
			}
			return seed(app, slices, workspaces)
		}})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

// seed creates a user, the workspaces of the user, and their slices.
func seed(app core.App, slices, workspaces int) error {
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return err
	}
	user := core.NewRecord(users)
	user.SetEmail("bench@example.com")
	user.SetPassword("correct horse battery")
	user.SetVerified(true)
	if err := app.Save(user); err != nil {
		return err
	}
	home, err := addWorkspaces(app, users.Id, user.Id, workspaces)
	if err != nil {
		return err
	}
	if err := app.Save(collection(home.Id)); err != nil {
		return err
	}
	return app.RunInTransaction(func(tx core.App) error { return fill(tx, slices, workspaces) })
}

// addWorkspaces creates workspaces with one member each, and returns their collection.
func addWorkspaces(app core.App, usersID, member string, workspaces int) (*core.Collection, error) {
	c := core.NewBaseCollection("workspaces")
	c.Fields.Add(&core.TextField{Name: "name"},
		&core.RelationField{Name: "members", CollectionId: usersID, MaxSelect: 1000})
	if err := app.Save(c); err != nil {
		return nil, err
	}
	for i := range workspaces {
		w := core.NewRecord(c)
		w.Id = workspaceID(i)
		w.Set("name", fmt.Sprint("w", i))
		w.Set("members", []string{member})
		if err := app.Save(w); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func workspaceID(i int) string { return fmt.Sprintf("workspace%06d", i) }

// collection holds slices, which a user may read and create in the workspaces of which the user is a member.
func collection(workspacesID string) *core.Collection {
	c := core.NewBaseCollection("slices")
	member := types.Pointer("workspace.members.id ?= @request.auth.id")
	c.ListRule, c.ViewRule, c.CreateRule = member, member, member
	c.Fields.Add(&core.RelationField{Name: "workspace", CollectionId: workspacesID, MaxSelect: 1, Required: true})
	for _, name := range []string{"space", "summary", "status", "resolution", "priority", "severity", "reporterType",
		"reporterId",
		"reporterName", "assignee", "sourceUrl", "externalId", "duplicateOf", "url"} {
		c.Fields.Add(&core.TextField{Name: name, Max: 2048})
	}
	c.Fields.Add(&core.TextField{Name: "description", Max: 65536})
	for _, name := range []string{"number", "version", "attachmentCount", "commentCount"} {
		c.Fields.Add(&core.NumberField{Name: name})
	}
	for _, name := range []string{"labels", "environment", "metadata"} {
		c.Fields.Add(&core.JSONField{Name: name})
	}
	c.Fields.Add(&core.AutodateField{Name: "created", OnCreate: true},
		&core.AutodateField{Name: "updated", OnCreate: true, OnUpdate: true}, &core.DateField{Name: "resolvedAt"})
	c.AddIndex("idx_slices_workspace_created", false, "workspace, created", "")
	c.AddIndex("idx_slices_created", false, "created", "") // for the list over all workspaces
	return c
}

// fill inserts the slices, in each workspace in turn, a millisecond apart.
func fill(tx core.App, slices, workspaces int) error {
	begin := time.Now().AddDate(0, 0, -1).UTC()
	for i := range slices {
		stamp := begin.Add(time.Duration(i) * time.Millisecond).Format(types.DefaultDateLayout)
		_, err := tx.DB().Insert("slices", dbx.Params{
			"id":        security.RandomStringWithAlphabet(15, core.DefaultIdAlphabet),
			"workspace": workspaceID(i % workspaces),
			"summary":   fmt.Sprintf("Checkout button does nothing, case %d", i), "description": description,
			"status": "open", "priority": "high", "severity": "major",
			"reporterType": "user", "reporterId": "bench", "reporterName": "Bench",
			"sourceUrl": "https://shop.example.com/cart", "labels": `["checkout","firefox"]`,
			"metadata":    `{"customer":"4711"}`,
			"environment": `{"browser":"Firefox 144","os":"Windows 11","viewport":"1440x812","locale":"sv-SE"}`,
			"number":      i/workspaces + 1, "version": 1, "created": stamp, "updated": stamp}).Execute()
		if err != nil {
			return err
		}
	}
	return nil
}

const description = `### Steps
1. Put two items in the cart
2. Enter a voucher and remove it
3. Press **Checkout**

### Expected
The address step opens.

### Actual
Nothing happens.
`
