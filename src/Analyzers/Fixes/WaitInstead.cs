using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>RACE015: the call of the same arguments that waits for room.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class WaitInstead() : Fix("RACE015", "Wait for room instead")
{
    private protected override SyntaxNode? Change(SyntaxNode root, SyntaxNode node, SemanticModel model)
    {
        if (node is not InvocationExpressionSyntax call || model.GetSymbolInfo(call).Symbol is not IMethodSymbol tried) return null;
        // A handler that waits for room in its own ring waits for itself.
        if (model.GetOperation(call) is not { } tries || Handling.IsWithinHandler(tries, model.GetEnclosingSymbol(call.SpanStart))) return null;
        string name = tried.Name.Substring("Try".Length);
        // One that waits takes at least the same, and returns nothing; a time-out or a claim it does not have.
        return Members(tried.ContainingType).Any(one => one.Name == name && one.ReturnsVoid && Takes(one, tried)) ? root.ReplaceNode(call, call.WithMethod(name)) : null;
    }

    private static IEnumerable<IMethodSymbol> Members(ITypeSymbol type)
    {
        for (ITypeSymbol? at = type; at is not null; at = at.BaseType)
            foreach (IMethodSymbol method in at.GetMembers().OfType<IMethodSymbol>()) yield return method;
    }

    private static bool Takes(IMethodSymbol waits, IMethodSymbol tried) =>
        waits.Parameters.Length >= tried.Parameters.Length
        && waits.Parameters.Skip(tried.Parameters.Length).All(static one => one.IsOptional)
        && tried.Parameters.Zip(waits.Parameters, static (one, other) => one.Name == other.Name && one.RefKind == other.RefKind).All(static same => same);
}
