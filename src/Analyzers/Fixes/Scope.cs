using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>What the code behind a declaration does: whether a fix may lengthen the life of its variable to the end of the block.</summary>
internal static class Scope
{
    /// <summary>Whether a local may become a <c>using</c>: it stands in a block, and nothing is stored into it, or refers to it, later.</summary>
    public static bool MayBeUsing(this LocalDeclarationStatementSyntax declared, SemanticModel model)
    {
        // A switch section takes no using declaration.
        if (declared.Parent is not (BlockSyntax or GlobalStatementSyntax)) return false;
        ISymbol? local = model.GetDeclaredSymbol(declared.Declaration.Variables[0]);
        return !declared.Around().DescendantNodes().OfType<IdentifierNameSyntax>()
            .Any(one => SymbolEqualityComparer.Default.Equals(model.GetSymbolInfo(one).Symbol, local) && IsChanged(one));
    }

    /// <summary>Whether the method is left for a while behind a declaration, within its block: a ref struct does not live so long.</summary>
    public static bool IsLeftBehind(this LocalDeclarationStatementSyntax declared) => declared.Behind().Any(static one => one switch
    {
        AwaitExpressionSyntax or YieldStatementSyntax => true,
        CommonForEachStatementSyntax loop => loop.AwaitKeyword.IsKind(SyntaxKind.AwaitKeyword),
        UsingStatementSyntax use => use.AwaitKeyword.IsKind(SyntaxKind.AwaitKeyword),
        LocalDeclarationStatementSyntax use => use.AwaitKeyword.IsKind(SyntaxKind.AwaitKeyword),
        _ => false,
    });

    /// <summary>The code behind a declaration, to the end of its block, without that of the functions in it.</summary>
    public static IEnumerable<SyntaxNode> Behind(this LocalDeclarationStatementSyntax declared) =>
        declared.Around().DescendantNodes(static one => one is not (AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax))
            .Where(one => one.SpanStart >= declared.Span.End);

    // A statement of a program stands in a node of its own.
    private static SyntaxNode Around(this LocalDeclarationStatementSyntax declared) =>
        declared.Parent is GlobalStatementSyntax ? declared.Parent.Parent! : declared.Parent!;

    private static bool IsChanged(IdentifierNameSyntax name) => name.Parent switch
    {
        AssignmentExpressionSyntax assignment => assignment.Left == name,
        ArgumentSyntax argument => argument.RefKindKeyword.IsKind(SyntaxKind.RefKeyword) || argument.RefKindKeyword.IsKind(SyntaxKind.OutKeyword),
        RefExpressionSyntax => true,
        _ => false,
    };
}
