using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE017: a stage calls hooks by their interface; a method that only has the name of a hook is never called.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class HookWithoutInterface() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE017",
        "A handler has a hook without its interface",
        "'{0}' has {1}() but does not implement {2}: no stage calls it. {3}.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE017"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterSymbolStartAction(one => Look(one, api), SymbolKind.NamedType);

    private static void Look(SymbolStartAnalysisContext context, Api api)
    {
        var type = (INamedTypeSymbol)context.Symbol;
        // What derives from an abstract class may add the interface.
        if (type.TypeKind is not (TypeKind.Class or TypeKind.Struct) || type.IsAbstract || !IsHandler(type, api)) return;
        IMethodSymbol[] hooks = [.. type.GetMembers().OfType<IMethodSymbol>().Where(method => IsLost(method, api))];
        if (hooks.Length == 0) return;

        // A handler may call the method itself, or hand it on, and then it is no hook. Operations come from several threads.
        var used = new ConcurrentDictionary<ISymbol, bool>(SymbolEqualityComparer.Default);
        context.RegisterOperationAction(
            one =>
            {
                IMethodSymbol method = one.Operation is IInvocationOperation call ? call.TargetMethod : ((IMethodReferenceOperation)one.Operation).Method;
                used[method.OriginalDefinition] = true;
            },
            OperationKind.Invocation,
            OperationKind.MethodReference);
        context.RegisterSymbolEndAction(end =>
        {
            foreach (IMethodSymbol hook in hooks)
            {
                if (used.ContainsKey(hook)) continue;
                string wanted = Wanted(hook.Name, api)!.Name;
                end.ReportDiagnostic(Diagnostic.Create(s_rule, hook.Locations[0], type.Name, hook.Name, wanted, Remedy(hook.Name)));
            }
        });
    }

    private static bool IsHandler(INamedTypeSymbol type, Api api) =>
        Api.Implements(type, api.StageHandler) || Api.Implements(type, api.MapHandler)
        || Api.Implements(type, api.ExpandHandler) || Api.Implements(type, api.KeyHandler);

    private static bool IsLost(IMethodSymbol method, Api api) =>
        method is { MethodKind: MethodKind.Ordinary, DeclaredAccessibility: Accessibility.Public, IsStatic: false, IsOverride: false, ReturnsVoid: true, Arity: 0 }
        && method.Parameters.Length == 0
        && Wanted(method.Name, api) is { } wanted
        && !Api.Implements(method.ContainingType, wanted)
        && !IsOfAnInterface(method);

    /// <summary>The interface by which a stage calls a method of that name.</summary>
    private static INamedTypeSymbol? Wanted(string name, Api api) => name switch
    {
        "OnStart" or "OnStop" or "OnShutdown" => api.StageLifetime,
        "OnIdle" => api.IdleHandler,
        _ => null,
    };

    private static string Remedy(string name) => name switch
    {
        "OnShutdown" => "Add the interface, and name the method OnStop",
        "OnIdle" => "Add the interface, and set StageOptions.IdleTimeout",
        _ => "Add the interface",
    };

    // Other code calls it by an interface of its own.
    private static bool IsOfAnInterface(IMethodSymbol method) =>
        method.ContainingType.AllInterfaces.SelectMany(one => one.GetMembers(method.Name))
            .Any(member => SymbolEqualityComparer.Default.Equals(method.ContainingType.FindImplementationForInterfaceMember(member), method));
}
