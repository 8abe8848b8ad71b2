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
        if (end.Instance is not ILocalReferenceOperation { Local: var claim }) return;
        // Only what is certain to run after it: the statements behind it in its own block.
        if (end.Parent is not IExpressionStatementOperation { Parent: IBlockOperation block }) return;
        ILocalSymbol[] names = [.. NamesOf(claim, Code.Function(end))];
        // A ref to something else than a local: what it refers to may be made anew by another way.
        if (names[0].IsRef) return;
        if (Code.Function(end).Descendants().Any(one => IsMovedOn(one, names))) return;
        IEnumerable<IOperation> mentions = names.SelectMany(name => Code.Mentions(block, name)).Where(one => one.Start() > end.End());
        foreach (IOperation mention in mentions.OrderBy(static one => one.Start()))
        {
            if (IsMadeAnew(mention)) return;
            if (!IsUse(mention)) continue;
            Found(context, s_rule, mention, Code.Named(mention)!.Name, end.TargetMethod.Name);
            return;
        }
    }

    /// <summary>The local that holds a claim first, and then the refs to it.</summary>
    private static IEnumerable<ILocalSymbol> NamesOf(ILocalSymbol claim, IOperation function)
    {
        (ILocalSymbol Name, ISymbol? Of)[] refs =
        [
            .. function.Descendants().OfType<IVariableDeclaratorOperation>().Where(static one => one.Symbol.IsRef)
                .Select(static one => (one.Symbol, Code.Named(one.Initializer?.Value))),
        ];
        ILocalSymbol original = refs.FirstOrDefault(one => SymbolEqualityComparer.Default.Equals(one.Name, claim)).Of as ILocalSymbol ?? claim;
        return [original, .. refs.Where(one => SymbolEqualityComparer.Default.Equals(one.Of, original)).Select(static one => one.Name)];
    }

    /// <summary>Whether one of the names becomes a ref to another claim: which of them it names at a place, the order of the code does not say.</summary>
    private static bool IsMovedOn(IOperation operation, ILocalSymbol[] names) =>
        operation is ISimpleAssignmentOperation { IsRef: true, Target: ILocalReferenceOperation { Local: var local } }
        && names.Contains(local, SymbolEqualityComparer.Default);

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
