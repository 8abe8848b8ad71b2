using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE010: an age bounds the wait for a minimum; without one there is no wait, and the dispatch is refused.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class AgeWithoutMinimum() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE010",
        "A dispatch has an age and no minimum",
        "An age limits how long a batch waits for its minimum: Dispatch.{0} has a maxAge and no min above 1, so it throws. Add a min of 2 or more, or leave maxAge out.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE010"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.Invocation);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        var call = (IInvocationOperation)context.Operation;
        if (!Api.Is(call.TargetMethod.ContainingType, api.Dispatch) || call.TargetMethod.Name is not ("Batch" or "Each")) return;
        if (Argument(call, "maxAge") is not { ArgumentKind: ArgumentKind.Explicit } age || !IsFinite(age.Value, api)) return;
        if (Argument(call, "min")?.Value.ConstantValue is not { HasValue: true, Value: 1 }) return;
        Found(context, s_rule, call, call.TargetMethod.Name);
    }

    private static IArgumentOperation? Argument(IInvocationOperation call, string name) =>
        call.Arguments.FirstOrDefault(one => one.Parameter?.Name == name);

    // Only what is written as a time. A variable may hold the infinite one, which asks for nothing.
    private static bool IsFinite(IOperation value, Api api) => value switch
    {
        IConversionOperation conversion => IsFinite(conversion.Operand, api),
        IInvocationOperation made => Api.Is(made.TargetMethod.ContainingType, api.TimeSpan) && made.TargetMethod.Name.StartsWith("From", StringComparison.Ordinal),
        IObjectCreationOperation made => Api.Is(made.Type, api.TimeSpan) && made.Arguments.Length > 0
            && made.Arguments.All(static one => one.Value.ConstantValue is { HasValue: true, Value: not (< 0 or < 0L) }),
        _ => false,
    };
}
