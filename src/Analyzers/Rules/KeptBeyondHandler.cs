using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE004: slots, batches and payloads belong to a handler until its call ends; then others write over them.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class KeptBeyondHandler() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE004",
        "A batch or payload is kept after the handler",
        "A {0} belongs to the handler until its call ends: '{1}' is kept, and its slot is used again. {2}.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE004"));

    private static readonly ImmutableHashSet<string> s_keeping = ImmutableHashSet.Create(
        "Add", "AddFirst", "AddLast", "Append", "Enqueue", "Insert", "Push", "TryAdd");

    private static readonly ImmutableHashSet<string> s_emptying = ImmutableHashSet.Create("Clear", "Dequeue", "Pop", "Remove", "RemoveAt", "TryDequeue", "TryPop");

    private static readonly ImmutableHashSet<string> s_starting = ImmutableHashSet.Create("Run", "StartNew", "QueueUserWorkItem", "UnsafeQueueUserWorkItem");

    private protected override void Watch(CompilationStartAnalysisContext context, Api api)
    {
        context.RegisterOperationAction(one => LookAtAssignment(one, api), OperationKind.SimpleAssignment);
        context.RegisterOperationAction(one => LookAtCall(one, api), OperationKind.Invocation);
    }

    private static void LookAtAssignment(OperationAnalysisContext context, Api api)
    {
        var assignment = (ISimpleAssignmentOperation)context.Operation;
        if (assignment.Target is not IMemberReferenceOperation { Instance: null or IInstanceReferenceOperation { ReferenceKind: InstanceReferenceKind.ContainingTypeInstance } } target) return;
        if (Kind(assignment.Value, api) is not { } kind || !IsTheHandlers(assignment.Value, api, context.ContainingSymbol)) return;
        // Set for the time of the call: what comes behind it may use it, or take it away again.
        IOperation function = Code.Function(assignment);
        int from = Code.LoopAround(assignment)?.Start() ?? assignment.End();
        if (!EndsByItself(function) || Code.Own(function).Any(one => one.Start() >= from && one is IInvocationOperation or IAwaitOperation)) return;
        Report(context, kind, assignment.Value);
    }

    private static void LookAtCall(OperationAnalysisContext context, Api api)
    {
        var call = (IInvocationOperation)context.Operation;
        if (s_keeping.Contains(call.TargetMethod.Name) && IsCollection(call.TargetMethod.ContainingType) && call.Instance is IMemberReferenceOperation collection)
        {
            if (!EndsByItself(Code.Function(call)) || IsEmptied(collection, call)) return;
            foreach (IArgumentOperation argument in call.Arguments)
            {
                if (Kind(argument.Value, api) is { } kind && IsTheHandlers(argument.Value, api, context.ContainingSymbol))
                    Report(context, kind, argument.Value);
            }
        }
        else if (s_starting.Contains(call.TargetMethod.Name) && Code.IsDropped(call) && EndsByItself(Code.Function(call))
            && !Code.Own(Code.Function(call)).Any(one => one is IAwaitOperation && one.Start() > call.Start())
            && (Api.Is(call.TargetMethod.ContainingType, api.Task) || Api.Is(call.TargetMethod.ContainingType, api.TaskFactory)
                || Api.Is(call.TargetMethod.ContainingType, api.ThreadPool)))
        {
            foreach (IArgumentOperation argument in call.Arguments)
            {
                IOperation? kept = Code.GivenFunction(argument.Value) is IAnonymousFunctionOperation lambda
                    ? lambda.Descendants().FirstOrDefault(one => one is IParameterReferenceOperation && Api.Is(one.Type, api.AsyncBatch))
                    : null;
                if (kept is not null && Handling.IsInHandler(call, context.ContainingSymbol)) Report(context, "batch", kept);
            }
        }
    }

    private static bool IsCollection(INamedTypeSymbol type) =>
        type.ContainingNamespace.ToDisplayString().StartsWith("System.Collections", StringComparison.Ordinal);

    // What was put into it is taken out before the call ends.
    private static bool IsEmptied(IMemberReferenceOperation collection, IOperation inside) =>
        Code.Member(inside).Descendants().OfType<IInvocationOperation>().Any(one =>
            s_emptying.Contains(one.TargetMethod.Name) && one.Instance is IMemberReferenceOperation other
            && SymbolEqualityComparer.Default.Equals(other.Member, collection.Member));

    // Otherwise its task says when the call ends, and until then a batch may be kept.
    private static bool EndsByItself(IOperation function)
    {
        if (function is IAnonymousFunctionOperation { Symbol: { IsAsync: true } or { ReturnsVoid: true } }) return true;
        if (Code.Own(function).OfType<IAwaitOperation>().Any()) return true;
        return Code.Own(function).OfType<IReturnOperation>().All(static one => one.ReturnedValue is null || Code.Innermost(one.ReturnedValue) switch
        {
            IDefaultValueOperation => true,
            IPropertyReferenceOperation property => property.Property.Name == "CompletedTask",
            IObjectCreationOperation made => made.Arguments.Length == 0,
            _ => false,
        });
    }

    private static string? Kind(IOperation value, Api api)
    {
        value = Code.Innermost(value);
        if (Api.Is(value.Type, api.AsyncBatch)) return "batch";
        if (Api.Is(value.Type, api.Payload)) return "payload";
        if (value is IPropertyReferenceOperation { Property.Name: "Memory" } memory && Api.Is(memory.Property.ContainingType, api.Payload)) return "payload";
        return value.Type is { IsValueType: true } item && item.GetMembers().Any(one => one is IFieldSymbol { IsStatic: false } field && Api.Is(field.Type, api.Payload))
            ? "payload" : null;
    }

    // By its item or batch, which are parameters; or by a loop over the batch.
    private static bool IsTheHandlers(IOperation value, Api api, ISymbol containing)
    {
        if (!Handling.IsInHandler(value, containing)) return false;
        IOperation? at = Code.Innermost(value);
        while (true)
        {
            switch (at)
            {
                case IParameterReferenceOperation:
                    return true;
                case ILocalReferenceOperation { Local: { IsRef: true } local }:
                    return Code.Function(value).Descendants().OfType<IForEachLoopOperation>().Any(one =>
                        one.Locals.Contains(local, SymbolEqualityComparer.Default)
                        && Code.Innermost(one.Collection).Type is var type && (Api.Is(type, api.Batch) || Api.Is(type, api.AsyncBatch)));
                case IMemberReferenceOperation { Instance: { } instance }:
                    at = Code.Innermost(instance);
                    continue;
                case IInvocationOperation { Instance: { } instance, TargetMethod.Name: "Slice" }:
                    at = Code.Innermost(instance);
                    continue;
                default:
                    return false;
            }
        }
    }

    private static void Report(OperationAnalysisContext context, string kind, IOperation value) =>
        Found(context, s_rule, value,
            kind,
            value.Syntax.ToString(),
            kind == "batch" ? "Copy what is needed (ToArray), or await the work within the handler" : "Copy its bytes, or keep them by Retain()");
}
