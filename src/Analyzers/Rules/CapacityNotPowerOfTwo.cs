using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE016: a ring finds its slots by a mask, so its capacity is a power of two; any other is refused.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class CapacityNotPowerOfTwo() : Rule(s_rule)
{
    private const int Most = 1 << 30;

    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE016",
        "A capacity is not a power of two",
        "A capacity is a power of two from 2 to 2^30: {0} is none, so {1} throws. Take {2}.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE016"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.Argument);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        var argument = (IArgumentOperation)context.Operation;
        if (argument.Parameter is not { Name: "capacity", ContainingSymbol: IMethodSymbol method }) return;
        INamedTypeSymbol owner = method.ContainingType;
        if (!Api.Is(owner, api.RingBuffer) && !Api.Is(owner, api.PipelineStart) && !Api.Is(owner, api.PipelineBuilder)) return;
        if (argument.Value.ConstantValue is not { HasValue: true, Value: int capacity } || IsRight(capacity)) return;
        string what = method.MethodKind == MethodKind.Constructor ? "the constructor" : method.Name;
        Found(context, s_rule, argument.Value, capacity, what, Next(capacity));
    }

    private static bool IsRight(int capacity) => capacity is >= 2 and <= Most && (capacity & (capacity - 1)) == 0;

    /// <summary>The least capacity that holds as many.</summary>
    public static int Next(int capacity)
    {
        int next = 2;
        while (next < capacity && next < Most) next *= 2;
        return next;
    }
}
