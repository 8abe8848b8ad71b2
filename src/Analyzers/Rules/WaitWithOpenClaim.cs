using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE005: while a claim is open every stage waits for it, so its owner must not wait for anything itself.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class WaitWithOpenClaim() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE005",
        "Code waits while it has an open claim",
        "Stages wait for an open claim: '{0}' waits while '{1}' is open. Do it before the claim, or after its commit.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE005"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.Invocation);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        var call = (IInvocationOperation)context.Operation;
        if (Claiming.Of(call, api) is not { Local: { } local } claim || claim.Escapes() || claim.FirstEnd() is not { } end) return;
        foreach (IOperation one in Code.Own(Code.Function(call)))
        {
            if (one.Start() < call.End() || one.Start() >= end.Start() || Waiting(one, api) is not { } name || claim.MayBeElsewhere(one)) continue;
            Found(context, s_rule, one, name, local.Name);
            return;
        }
    }

    private static string? Waiting(IOperation operation, Api api) => operation switch
    {
        ILockOperation => "lock",
        IAwaitOperation => "await",
        IInvocationOperation call when Waits(call.TargetMethod, api) => call.TargetMethod.Name,
        IPropertyReferenceOperation { Property.Name: "Result" } result when api.IsTask(result.Property.ContainingType) => "Result",
        _ => null,
    };

    // By the names that the runtime's own types have for it.
    private static bool Waits(IMethodSymbol method, Api api)
    {
        string place = method.ContainingType.ContainingNamespace.ToDisplayString();
        if (!place.StartsWith("System.Threading", StringComparison.Ordinal) && place != "System.Runtime.CompilerServices") return false;
        return method.Name switch
        {
            "Wait" or "WaitOne" or "WaitAny" or "WaitAll" or "Join" or "SignalAndWait" or "EnterReadLock" or "EnterWriteLock" => true,
            "Sleep" => Api.Is(method.ContainingType, api.Thread),
            "Enter" => Api.Is(method.ContainingType, api.Monitor) || method.ContainingType.Name == "Lock",
            "EnterScope" => method.ContainingType.Name == "Lock",
            "GetResult" => true,
            _ => false,
        };
    }
}
