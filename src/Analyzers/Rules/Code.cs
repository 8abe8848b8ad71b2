using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>Ways through the operations of a body of code.</summary>
internal static class Code
{
    /// <summary>The function around an operation: a lambda, a local function, or the member itself.</summary>
    public static IOperation Function(IOperation operation)
    {
        IOperation at = operation;
        while (at.Parent is { } parent && at is not (IAnonymousFunctionOperation or ILocalFunctionOperation)) at = parent;
        return at;
    }

    /// <summary>The member's whole body, with all functions inside it.</summary>
    public static IOperation Member(IOperation operation)
    {
        IOperation at = operation;
        while (at.Parent is { } parent) at = parent;
        return at;
    }

    /// <summary>The operations of a function, without those of the functions inside it.</summary>
    public static IEnumerable<IOperation> Own(IOperation function)
    {
        foreach (IOperation child in function.ChildOperations)
        {
            if (child is IAnonymousFunctionOperation or ILocalFunctionOperation) continue;
            yield return child;
            foreach (IOperation deeper in Own(child)) yield return deeper;
        }
    }

    /// <summary>The outermost operation with the same value: conversions and parentheses around it.</summary>
    public static IOperation Outermost(IOperation value)
    {
        while (value.Parent is IConversionOperation or IParenthesizedOperation) value = value.Parent;
        return value;
    }

    /// <summary>The value inside conversions and parentheses.</summary>
    public static IOperation Innermost(IOperation value)
    {
        while (true)
        {
            if (value is IConversionOperation conversion) value = conversion.Operand;
            else if (value is IParenthesizedOperation parentheses) value = parentheses.Operand;
            else return value;
        }
    }

    /// <summary>The local, parameter, field or property that an expression names; null for anything else.</summary>
    public static ISymbol? Named(IOperation? value) => value is null ? null : Innermost(value) switch
    {
        ILocalReferenceOperation local => local.Local,
        IParameterReferenceOperation parameter => parameter.Parameter,
        IFieldReferenceOperation { Instance: null or IInstanceReferenceOperation } field => field.Field,
        IPropertyReferenceOperation { Instance: null or IInstanceReferenceOperation, Arguments.Length: 0 } property => property.Property,
        _ => null,
    };

    /// <summary>What a value is stored into where it is made: a new or an existing local; null for anything else.</summary>
    public static ILocalSymbol? StoredInto(IOperation value) => Outermost(value).Parent switch
    {
        IVariableInitializerOperation { Parent: IVariableDeclaratorOperation declared } => declared.Symbol,
        ISimpleAssignmentOperation { Target: ILocalReferenceOperation local } => local.Local,
        _ => null,
    };

    /// <summary>The local that a call fills through an argument.</summary>
    public static ILocalSymbol? FilledBy(IInvocationOperation call) =>
        call.Arguments.FirstOrDefault(static one => one.Parameter?.RefKind == RefKind.Out)?.Value switch
        {
            IDeclarationExpressionOperation { Expression: ILocalReferenceOperation local } => local.Local,
            ILocalReferenceOperation local => local.Local,
            _ => null,
        };

    /// <summary>Whether a value is made and nothing is done with it.</summary>
    public static bool IsDropped(IOperation value) => Outermost(value).Parent switch
    {
        IExpressionStatementOperation => true,
        ISimpleAssignmentOperation { Target: IDiscardOperation } => true,
        _ => false,
    };

    /// <summary>The call that a statement consists of: <c>a.Call()</c> or <c>a?.Call()</c>; null for anything else.</summary>
    public static IInvocationOperation? Called(IOperation statement) =>
        statement is IConditionalAccessOperation access ? Called(access.WhenNotNull) : statement as IInvocationOperation;

    /// <summary>Whether a value is made for a <c>using</c>.</summary>
    public static bool IsUsing(IOperation made)
    {
        for (IOperation? at = made.Parent; at is not (null or IBlockOperation); at = at.Parent)
            if (at is IUsingDeclarationOperation or IUsingOperation) return true;
        return false;
    }

    /// <summary>Every mention of a variable in a function, those inside its functions included.</summary>
    public static IEnumerable<IOperation> Mentions(IOperation function, ISymbol variable) =>
        function.Descendants().Where(one => one is ILocalReferenceOperation or IParameterReferenceOperation or IFieldReferenceOperation or IPropertyReferenceOperation
            && SymbolEqualityComparer.Default.Equals(Named(one), variable));

    /// <summary>The method called on a value; null where something else is done with it.</summary>
    public static IInvocationOperation? CallOn(IOperation value) =>
        Outermost(value) is var whole && whole.Parent is IInvocationOperation call && call.Instance == whole ? call : null;

    /// <summary>Whether a mention only calls a member of the value or reads one, walks through it, or disposes of it: it goes nowhere else.</summary>
    public static bool StaysHere(IOperation mention) => Outermost(mention) is var whole && whole.Parent switch
    {
        IInvocationOperation call => call.Instance == whole,
        IPropertyReferenceOperation property => property.Instance == whole,
        IForEachLoopOperation loop => loop.Collection == whole,
        IUsingOperation use => use.Resources == whole,
        IAssignmentOperation assignment => assignment.Target == whole,
        IArgumentOperation { Parameter.RefKind: RefKind.Out } => true,
        // Written in the call that fills it: `out Claim<T> claim`.
        IDeclarationExpressionOperation => true,
        IExpressionStatementOperation => true,
        _ => false,
    };

    /// <summary>The nearest loop around an operation, within its function.</summary>
    public static ILoopOperation? LoopAround(IOperation operation)
    {
        for (IOperation? at = operation.Parent; at is not (null or IAnonymousFunctionOperation or ILocalFunctionOperation); at = at.Parent)
            if (at is ILoopOperation loop) return loop;
        return null;
    }

    /// <summary>Whether a variable lives longer than a round of a loop, or a call of a lambda: it is declared outside.</summary>
    public static bool IsOutside(ISymbol variable, IOperation part) =>
        variable is IFieldSymbol or IPropertySymbol
        || variable.DeclaringSyntaxReferences.All(one => one.SyntaxTree != part.Syntax.SyntaxTree || !part.Syntax.Span.Contains(one.Span));

    /// <summary>Whether only one of two operations runs: they are in different branches of a choice, or the branch of the first one returns.</summary>
    public static bool AreApart(IOperation one, IOperation other)
    {
        (IOperation first, IOperation second) = one.Start() <= other.Start() ? (one, other) : (other, one);
        if (first.Contains(second)) return false;
        bool leaves = false;
        for (IOperation at = first; at.Parent is { } parent; at = parent)
        {
            // What a function returns from is its own call.
            leaves = at is not (IAnonymousFunctionOperation or ILocalFunctionOperation) && (leaves || Leaves(at));
            if (!parent.Contains(second)) continue;
            // A finally runs whether its try returns or not.
            if (parent is ITryOperation { Finally: { } last } && last.Contains(second)) return false;
            return leaves || (IsBranch(at, parent) && parent.ChildOperations.Any(branch => IsBranch(branch, parent) && branch.Contains(second)));
        }

        return false;
    }

    private static bool Contains(this IOperation outer, IOperation inner) => outer.Syntax.Span.Contains(inner.Syntax.Span);

    private static bool IsBranch(IOperation part, IOperation choice) => choice switch
    {
        IConditionalOperation conditional => part == conditional.WhenTrue || part == conditional.WhenFalse,
        ISwitchOperation => part is ISwitchCaseOperation,
        ISwitchExpressionOperation => part is ISwitchExpressionArmOperation,
        _ => false,
    };

    private static bool Leaves(IOperation statement) => statement switch
    {
        IReturnOperation { Kind: not OperationKind.YieldReturn } or IThrowOperation => true,
        IBlockOperation block => block.Operations.Length > 0 && Leaves(block.Operations[block.Operations.Length - 1]),
        IExpressionStatementOperation expression => expression.Operation is IThrowOperation,
        _ => false,
    };

    public static int Start(this IOperation operation) => operation.Syntax.SpanStart;

    public static int End(this IOperation operation) => operation.Syntax.Span.End;

    /// <summary>The lambda, local function or method of this object that a value gives to a call; null where its code is not in this file.</summary>
    public static IOperation? GivenFunction(IOperation value) => (Innermost(value) as IDelegateCreationOperation)?.Target switch
    {
        IAnonymousFunctionOperation lambda => lambda,
        IMethodReferenceOperation { Instance: null or IInstanceReferenceOperation, Method: var method } given
            when method.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax() is { } code && code.SyntaxTree == given.Syntax.SyntaxTree =>
            given.SemanticModel?.GetOperation(code),
        _ => null,
    };
}
