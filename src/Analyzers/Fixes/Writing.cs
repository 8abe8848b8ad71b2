using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>How changes are written, so that the code around them stays as it was.</summary>
internal static class Writing
{
    /// <summary>The list with a space behind each comma that has none.</summary>
    public static ArgumentListSyntax NormalizeCommas(this ArgumentListSyntax list) =>
        list.WithArguments(SyntaxFactory.SeparatedList(
            list.Arguments,
            list.Arguments.GetSeparators().Select(static comma => comma.HasTrailingTrivia ? comma : comma.WithTrailingTrivia(SyntaxFactory.Space))));

    /// <summary>The root with another name for the method of a call: <c>a.Old(…)</c> becomes <c>a.New(…)</c>.</summary>
    public static SyntaxNode? WithMethod(this SyntaxNode root, InvocationExpressionSyntax call, string name) =>
        call.Expression is MemberAccessExpressionSyntax { Name: var old }
            ? root.ReplaceNode(old, SyntaxFactory.IdentifierName(name).WithTriviaFrom(old))
            : null;

    /// <summary>The declaration of a local with <c>using</c>, or <c>await using</c>, before it.</summary>
    public static LocalDeclarationStatementSyntax WithUsing(this LocalDeclarationStatementSyntax declaration, bool isAwaited)
    {
        SyntaxTriviaList leading = declaration.GetLeadingTrivia();
        LocalDeclarationStatementSyntax changed = declaration.WithoutLeadingTrivia()
            .WithUsingKeyword(SyntaxFactory.Token(SyntaxKind.UsingKeyword).WithTrailingTrivia(SyntaxFactory.Space));
        if (isAwaited) changed = changed.WithAwaitKeyword(SyntaxFactory.Token(SyntaxKind.AwaitKeyword).WithTrailingTrivia(SyntaxFactory.Space));
        return changed.WithLeadingTrivia(leading);
    }
}
