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

    /// <summary>The call with another name for its method: <c>a.Old(…)</c> becomes <c>a.New(…)</c>, and <c>?.Old(…)</c> becomes <c>?.New(…)</c>.</summary>
    public static InvocationExpressionSyntax WithMethod(this InvocationExpressionSyntax call, string name)
    {
        SimpleNameSyntax? old = (call.Expression as MemberAccessExpressionSyntax)?.Name ?? (call.Expression as MemberBindingExpressionSyntax)?.Name;
        return old is null ? call : call.ReplaceNode(old, SyntaxFactory.IdentifierName(name).WithTriviaFrom(old));
    }

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
