using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;

namespace Raceway.Analyzers.Fixes;

/// <summary>What an editor offers to do about a rule: one change of one file.</summary>
public abstract class Fix : CodeFixProvider
{
    private readonly string _id;
    private readonly string _title;

    private protected Fix(string id, string title)
    {
        _id = id;
        _title = title;
    }

    /// <inheritdoc/>
    public sealed override ImmutableArray<string> FixableDiagnosticIds => ImmutableArray.Create(_id);

    /// <inheritdoc/>
    public sealed override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public sealed override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        if (await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false) is not { } root) return;
        if (await context.Document.GetSemanticModelAsync(context.CancellationToken).ConfigureAwait(false) is not { } model) return;
        foreach (Diagnostic diagnostic in context.Diagnostics)
        {
            SyntaxNode node = root.FindNode(diagnostic.Location.SourceSpan, getInnermostNodeForTie: true);
            if (Change(root, node, model) is not { } changed) continue;
            Document document = context.Document.WithSyntaxRoot(changed);
            context.RegisterCodeFix(CodeAction.Create(_title, _ => Task.FromResult(document), _id), diagnostic);
        }
    }

    /// <summary>The file with the change; null where it cannot be made without guessing.</summary>
    /// <param name="root">The file.</param>
    /// <param name="node">Where the rule has spoken.</param>
    /// <param name="model">What the file means.</param>
    private protected abstract SyntaxNode? Change(SyntaxNode root, SyntaxNode node, SemanticModel model);
}
