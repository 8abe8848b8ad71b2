using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE012: a claim ends once; after that its slots belong to the stages.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ClaimUsedAfterEnd() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE012",
        "A claim is used after its end",
        "After {1} the slots of a claim belong to the stages: '{0}' is used again here. Fill its slots before, end it once, and claim again for more.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE012"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.Invocation);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        var end = (IInvocationOperation)context.Operation;
        if (!Api.Is(end.TargetMethod.ContainingType, api.Claim) || end.TargetMethod.Name is not ("Commit" or "Abort")) return;
        if (end.Instance is not ILocalReferenceOperation { Local: { IsRef: false } claim }) return;
        // Only what is certain to run after it: the statements behind it in its own block.
        if (end.Parent is not IExpressionStatementOperation { Parent: IBlockOperation block }) return;
        foreach (IOperation mention in Code.Mentions(block, claim).Where(one => one.Start() > end.End()).OrderBy(static one => one.Start()))
        {
            if (IsMadeAnew(mention)) return;
            if (!IsUse(mention)) continue;
            Found(context, s_rule, mention, claim.Name, end.TargetMethod.Name);
            return;
        }
    }

    private static bool IsMadeAnew(IOperation mention) =>
        Code.Outermost(mention) is var whole && whole.Parent switch
        {
            IAssignmentOperation assignment => assignment.Target == whole,
            IArgumentOperation { Parameter.RefKind: not (RefKind.None or RefKind.In) } => true,
            _ => false,
        };

    private static bool IsUse(IOperation mention) => Code.Outermost(mention) is var whole && whole.Parent switch
    {
        IInvocationOperation { TargetMethod.Name: "Commit" or "Abort" } => true,
        IPropertyReferenceOperation { Property: { Name: "Slot" or "First" or "Second" } or { IsIndexer: true } } => true,
        IForEachLoopOperation => true,
        _ => false,
    };
}
