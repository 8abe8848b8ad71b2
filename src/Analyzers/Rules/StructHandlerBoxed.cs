using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE009: a struct handler that is given as its interface is copied into an object, and called through it.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class StructHandlerBoxed() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE009",
        "A struct handler is copied into an object",
        "A struct handler is called directly only if its type is known: '{0}' is copied into an object here, and each call goes through the interface. Use {1}.",
        Performance,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE009"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.Conversion);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        var conversion = (IConversionOperation)context.Operation;
        if (conversion.Operand.Type is not { IsValueType: true } handler || conversion.Type?.TypeKind != TypeKind.Interface) return;
        if (Code.Outermost(conversion).Parent is not IArgumentOperation { Parent: IInvocationOperation call }) return;
        if (Instead(call.TargetMethod, conversion.Type, api) is { } instead)
            Found(context, s_rule, conversion.Operand, handler.Name, instead);
    }

    /// <summary>The call that takes the struct as it is; null where there is none.</summary>
    private static string? Instead(IMethodSymbol method, ITypeSymbol wanted, Api api)
    {
        string? kind = Api.Is(wanted, api.BatchHandler) ? "Batches" : Api.Is(wanted, api.EventHandler) ? "Events"
            : Api.Is(wanted, api.OutcomeHandler) ? "Outcomes" : Api.Is(wanted, api.MapHandler) ? "Maps" : null;
        if (kind is null) return null;
        return method.Name switch
        {
            "Subscribe" when Api.Is(method.ContainingType, api.RingBuffer) => $"Slots.Subscribe{kind}",
            "Subscribe" when Api.Is(method.ContainingType, api.Subscribing) => $"Subscribe{kind}",
            "Attach" when Api.Is(method.ContainingType, api.StageSite) => $"Attach{kind}",
            "Stage" when Api.Is(method.ContainingType, api.PipelineBuilder) => $"StageKind<T>.{kind}",
            // Refused when the pipeline is built: a struct cannot be given here.
            "Map" when Api.Is(method.ContainingType, api.PipelineBuilder) => "a class",
            _ => null,
        };
    }
}
