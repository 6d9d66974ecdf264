// Package mcp is a server of the Model Context Protocol: tools, a resource and prompts with which agents find, read,
// change and file bug reports. It calls the API through package client, whose transport decides where that is: for
// package mcpapi it is the handler of the API in the same process. So every call has the rights, the limits and the
// refusals of the API.
//
//	server := mcp.NewServer(mcp.Options{Client: c, Scopes: scopes})
//
// Guarantees and refusals:
//
//   - A server lists only tools whose operations the scopes allow, in one order. Arguments that the schema of a tool
//     does not describe are refused.
//   - An answer has at most the tokens of its budget, by an estimate, and says what it left out and how to get it.
//   - Text of others, such as summaries, comments, console messages, bodies and names of files, is in fences or between
//     backticks, and cannot end its fence. Each answer that has such text says that it is data and no instruction.
//   - A refusal is the result of the tool with its faults, so that a model can correct its call.
package mcp
