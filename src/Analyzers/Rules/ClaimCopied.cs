using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE002: both copies of a claim end the same claim, and one copy of an open producer leaves the other behind.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ClaimCopied() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE002",
        "A claim or an open producer is copied",
        "All copies of {0} are one and the same: '{1}' is copied here and used again later, where one of both throws. Use one variable, or pass it by ref.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE002"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api)
    {
        context.RegisterOperationAction(
            one => Look(one, api, ((IVariableInitializerOperation)one.Operation).Value, IsByRef(one.Operation)), OperationKind.VariableInitializer);
        context.RegisterOperationAction(
            one => Look(one, api, ((ISimpleAssignmentOperation)one.Operation).Value, ((ISimpleAssignmentOperation)one.Operation).IsRef),
            OperationKind.SimpleAssignment);
        context.RegisterOperationAction(one => LookAtArgument(one, api), OperationKind.Argument);
    }

    private static bool IsByRef(IOperation initializer) => initializer.Parent is IVariableDeclaratorOperation { Symbol.IsRef: true };

    private static void Look(OperationAnalysisContext context, Api api, IOperation value, bool isByRef)
    {
        if (isByRef) return;
        if (Api.Is(value.Type, api.OpenProducer)) Report(context, value, "an open producer", static _ => true);
        if (!Api.Is(value.Type, api.Claim) || Target(context.Operation) is not { } copy) return;
        // Both are ended. To look at a copy is no fault, and neither is to dispose of one: that means "if it has not ended".
        IOperation[] ends = [.. Code.Mentions(Code.Function(value), copy).Where(IsEnded)];
        Report(context, value, "a claim", one => IsEnded(one) && ends.Any(end => !Code.AreApart(end, one)));
    }

    private static bool IsEnded(IOperation mention) => Code.CallOn(mention)?.TargetMethod.Name is "Commit" or "Abort";

    private static ISymbol? Target(IOperation copying) => copying switch
    {
        ISimpleAssignmentOperation assignment => Code.Named(assignment.Target),
        { Parent: IVariableDeclaratorOperation declared } => declared.Symbol,
        _ => null,
    };

    private static void LookAtArgument(OperationAnalysisContext context, Api api)
    {
        var argument = (IArgumentOperation)context.Operation;
        // A claim that is passed by value is the same claim: the method may fill it, and its caller commits it.
        if (argument.Parameter is not { RefKind: RefKind.None } || !Api.Is(argument.Value.Type, api.OpenProducer)) return;
        Report(context, argument.Value, "an open producer", static one => Code.CallOn(one)?.TargetMethod.Name != "Dispose");
    }

    private static void Report(OperationAnalysisContext context, IOperation value, string kind, Func<IOperation, bool> isUse)
    {
        if (Code.Innermost(value) is not (ILocalReferenceOperation or IParameterReferenceOperation) || Code.Named(value) is not { } copied) return;
        ILoopOperation? loop = Code.LoopAround(value);
        bool isRepeated = loop is not null && Code.IsOutside(copied, loop);
        IOperation[] others = [.. Code.Mentions(Code.Function(value), copied).Where(one => one.Start() != Code.Innermost(value).Start())];
        // Moved, and made anew: the old variable holds another one from then on.
        if (others.Any(static one => Code.Outermost(one) is var whole && whole.Parent is IAssignmentOperation assignment && assignment.Target == whole)) return;
        if (!others.Any(one => (isRepeated || one.Start() > value.End()) && isUse(one))) return;
        Found(context, s_rule, value, kind, copied.Name);
    }
}
