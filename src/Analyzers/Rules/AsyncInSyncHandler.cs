using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE007: a synchronous handler is done when it returns; what it has started and not awaited is lost sight of.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class AsyncInSyncHandler() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE007",
        "A synchronous handler starts asynchronous work and does not wait for it",
        "An item counts as handled when its handler returns: {0} is not awaited, so the slot is used again meanwhile and a failure is lost. Use {1}.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE007"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api)
    {
        context.RegisterOperationAction(one => LookAtDelegate(one, api), OperationKind.DelegateCreation);
        context.RegisterOperationAction(one => LookAtStatement(one, api), OperationKind.ExpressionStatement);
        context.RegisterSymbolAction(LookAtMethod, SymbolKind.Method);
    }

    // async void, as a lambda or by its name, where Raceway takes an action.
    private static void LookAtDelegate(OperationAnalysisContext context, Api api)
    {
        var made = (IDelegateCreationOperation)context.Operation;
        IMethodSymbol? method = made.Target switch
        {
            IAnonymousFunctionOperation lambda => lambda.Symbol,
            IMethodReferenceOperation named => named.Method,
            _ => null,
        };
        if (method is not { IsAsync: true, ReturnsVoid: true }) return;
        if (Code.Outermost(made).Parent is not IArgumentOperation { Parent: IInvocationOperation call } || !Api.IsOurs(call.TargetMethod.ContainingType)) return;
        Found(context, s_rule, made, "a handler that is async and returns void", Instead(call.TargetMethod.ContainingType, api));
    }

    private static void LookAtMethod(SymbolAnalysisContext context)
    {
        var method = (IMethodSymbol)context.Symbol;
        if (method is not { IsAsync: true, ReturnsVoid: true } || !Handling.IsHandlerMethod(method)) return;
        context.ReportDiagnostic(Diagnostic.Create(s_rule, method.Locations[0], $"{method.Name}, which is async and returns void,", "a synchronous method, or IAsyncBatchHandler<T>"));
    }

    private static void LookAtStatement(OperationAnalysisContext context, Api api)
    {
        if (Code.Called(((IExpressionStatementOperation)context.Operation).Operation) is not { } call || !api.IsTask(call.Type)) return;
        // To begin the end of a ring in its handler is allowed: it begins, and returns.
        if (Api.IsOurs(call.TargetMethod.ContainingType) && !call.TargetMethod.Name.StartsWith("Publish", StringComparison.Ordinal)) return;
        INamedTypeSymbol? taker = null;
        switch (Code.Function(call))
        {
            case IAnonymousFunctionOperation { Symbol: { IsAsync: false, ReturnsVoid: true } } lambda:
                if (Handling.TakerOf(lambda) is not { } given) return;
                taker = given.TargetMethod.ContainingType;
                break;
            case ILocalFunctionOperation:
                return;
            default:
                if (context.ContainingSymbol is not IMethodSymbol { IsAsync: false } method || api.IsTask(method.ReturnType) || !Handling.IsHandlerMethod(method)) return;
                break;
        }

        Found(context, s_rule, call, $"the task of {call.TargetMethod.Name}", Instead(taker, api));
    }

    private static string Instead(INamedTypeSymbol? taker, Api api) =>
        Api.Is(taker, api.Mailbox) ? "the handler that takes a CancellationToken and returns a ValueTask" : "a handler of IAsyncBatchHandler<T>";
}
