using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>RACE001: the claim is committed at the end of its block.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class CommitAtTheEnd() : Fix("RACE001", "Commit the claim at the end of the block")
{
    private protected override SyntaxNode? Change(SyntaxNode root, SyntaxNode node, SemanticModel model)
    {
        // Only for a claim that is declared by itself: elsewhere it is not certain that the end of the block is reached with it open.
        if (node.FirstAncestorOrSelf<LocalDeclarationStatementSyntax>() is not { Parent: BlockSyntax block, Declaration.Variables: { Count: 1 } variables } declared) return null;
        if (variables[0].Initializer?.Value != node || node is not InvocationExpressionSyntax) return null;
        string name = variables[0].Identifier.ValueText;
        // What gives the claim up stands last, or leaves early: that is for its author to order.
        if (declared.IsLeftBehind() || declared.Behind().Any(one => IsJump(one) || IsDispose(one, name))) return null;
        StatementSyntax commit = SyntaxFactory.ParseStatement($"{name}.Commit();")
            .WithLeadingTrivia(declared.GetLeadingTrivia().Where(static one => one.IsKind(SyntaxKind.WhitespaceTrivia)))
            .WithTrailingTrivia(SyntaxFactory.ElasticLineFeed);
        return root.ReplaceNode(block, block.AddStatements(commit));
    }

    private static bool IsJump(SyntaxNode node) => node is ReturnStatementSyntax or BreakStatementSyntax or ContinueStatementSyntax
        or GotoStatementSyntax or ThrowStatementSyntax or ThrowExpressionSyntax;

    private static bool IsDispose(SyntaxNode node, string name) =>
        node is MemberAccessExpressionSyntax { Expression: IdentifierNameSyntax given, Name.Identifier.ValueText: "Dispose" } && given.Identifier.ValueText == name;
}
