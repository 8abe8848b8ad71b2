using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE011: what runs has to be ended; otherwise its threads go on, and its last items may never be handled.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class PipelineNotDisposed() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE011",
        "A pipeline or ring is not disposed of",
        "What runs must be ended: {0} is neither drained, halted nor disposed of, so its stages go on and its last items may be lost. Declare it with 'await using'.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE011"));

    private static readonly string[] s_endings = ["DisposeAsync", "DrainAsync", "HaltAsync", "Complete", "TryComplete"];

    private protected override void Watch(CompilationStartAnalysisContext context, Api api)
    {
        context.RegisterOperationAction(one => LookAtPipeline(one, api), OperationKind.Invocation);
        context.RegisterOperationAction(one => LookAtRing(one, api), OperationKind.ObjectCreation);
    }

    private static void LookAtPipeline(OperationAnalysisContext context, Api api)
    {
        var call = (IInvocationOperation)context.Operation;
        if (!Api.Is(call.TargetMethod.ContainingType, api.PipelineBuilder) || call.TargetMethod.Name is not ("Run" or "Build")) return;
        // A pipeline that the caller steps has no thread, and ends with its last step.
        if (call.Arguments.Any(static one => Code.Innermost(one.Value) is IFieldReferenceOperation { Field.Name: "Manual" })) return;
        Look(context, api, call, isRunning: call.TargetMethod.Name == "Run");
    }

    private static void LookAtRing(OperationAnalysisContext context, Api api)
    {
        if (Api.Is(context.Operation.Type, api.RingBuffer)) Look(context, api, context.Operation, isRunning: false);
    }

    private static void Look(OperationAnalysisContext context, Api api, IOperation made, bool isRunning)
    {
        if (isRunning && Code.IsDropped(made))
        {
            Found(context, s_rule, made, "the pipeline that Run returns");
            return;
        }

        if (Code.StoredInto(made) is not { } local || Code.IsUsing(made)) return;
        IOperation function = Code.Function(made);
        IOperation[] mentions = [.. Code.Mentions(function, local).Where(one => one.Start() > made.End())];
        if (mentions.Any(one => IsEnded(one) || GoesOn(one, function, api))) return;
        if (!isRunning && !mentions.Any(static one => Code.CallOn(one)?.TargetMethod.Name is "Start" or "StartAsync")) return;
        Found(context, s_rule, made, $"'{local.Name}'");
    }

    private static bool IsEnded(IOperation mention)
    {
        IOperation whole = Code.Outermost(mention);
        if (whole.Parent is IUsingOperation use && use.Resources == whole) return true;
        if (whole.Parent is IPropertyReferenceOperation { Property.Name: "Completion" }) return true;
        // By a part of it.
        if (whole.Parent is IPropertyReferenceOperation { Property.Name: "Ring" or "Publisher" } part && IsEnded(part)) return true;
        return Code.CallOn(mention) is { } call && s_endings.Contains(call.TargetMethod.Name);
    }

    // Other code has it, or something of it that keeps it alive: a producer, a publisher, a stage, a ring.
    private static bool GoesOn(IOperation mention, IOperation function, Api api)
    {
        if (Code.Function(mention) != function || !Code.StaysHere(mention)) return true;
        IOperation? part = (IOperation?)Code.CallOn(mention) ?? Code.Outermost(mention).Parent as IPropertyReferenceOperation;
        if (part?.Type is null || !Api.IsOurs(part.Type) || part.Type.IsValueType || part.Type.TypeKind == TypeKind.Enum) return false;
        if (Code.StoredInto(part) is { } kept)
            return Code.Mentions(function, kept).Any(one => Code.Function(one) != function || !Code.StaysHere(one));
        return !Code.StaysHere(part) && Code.Outermost(part).Parent is not IUsingOperation;
    }
}
