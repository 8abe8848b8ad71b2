using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>Which code is a handler: what a stage calls, with slots that are its own for the time of that call.</summary>
internal static class Handling
{
    /// <summary>Whether a method is one of Raceway's interfaces' in its type.</summary>
    public static bool IsHandlerMethod(IMethodSymbol method) =>
        method.ContainingType?.AllInterfaces.Where(Api.IsOurs).SelectMany(static one => one.GetMembers().OfType<IMethodSymbol>())
            .Any(member => SymbolEqualityComparer.Default.Equals(method.ContainingType.FindImplementationForInterfaceMember(member), method)) is true;

    /// <summary>The call of Raceway's that a lambda is given to; null where it is given to other code.</summary>
    public static IInvocationOperation? TakerOf(IAnonymousFunctionOperation lambda)
    {
        if (lambda.Parent is not IDelegateCreationOperation made) return null;
        IOperation at = Code.Outermost(made);
        // One of several that a call takes: `Fork(one => …, two => …)`.
        while (at.Parent is ICollectionExpressionOperation or IArrayInitializerOperation or IArrayCreationOperation or IConversionOperation) at = at.Parent;
        return at.Parent is IArgumentOperation { Parent: IInvocationOperation call } && Api.IsOurs(call.TargetMethod.ContainingType) ? call : null;
    }

    /// <summary>Whether the function around an operation is a handler: a lambda that Raceway is given, or a method of its interfaces.</summary>
    public static bool IsInHandler(IOperation operation, ISymbol containing) => Code.Function(operation) switch
    {
        IAnonymousFunctionOperation lambda => TakerOf(lambda) is not null,
        ILocalFunctionOperation => false,
        _ => containing is IMethodSymbol method && IsHandlerMethod(method),
    };

    /// <summary>Whether any function around an operation is a handler, with those that a handler defines.</summary>
    public static bool IsWithinHandler(IOperation operation, ISymbol? containing)
    {
        for (IOperation? at = operation; at is not null; at = at.Parent)
            if (at is IAnonymousFunctionOperation lambda && TakerOf(lambda) is not null) return true;
        for (ISymbol? at = containing; at is IMethodSymbol method; at = at.ContainingSymbol)
            if (IsHandlerMethod(method)) return true;
        return false;
    }
}
