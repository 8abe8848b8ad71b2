using System.Collections.Immutable;
using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>A rule: one thing that is wrong, found in the code of users.</summary>
/// <remarks>A false alarm is worse than a miss: a rule speaks only where what it sees leaves no way for the code to be right.</remarks>
public abstract class Rule : DiagnosticAnalyzer
{
    /// <summary>Wrong when it runs: it throws, hangs, or loses items.</summary>
    protected const string Correctness = "Raceway.Correctness";

    /// <summary>Right, but slower than it should be.</summary>
    protected const string Performance = "Raceway.Performance";

    private static readonly string? s_pages = typeof(Rule).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .FirstOrDefault(static one => one.Key == "RulePages")?.Value;

    private readonly DiagnosticDescriptor _descriptor;

    private protected Rule(DiagnosticDescriptor descriptor) => _descriptor = descriptor;

    /// <inheritdoc/>
    public sealed override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics => ImmutableArray.Create(_descriptor);

    /// <inheritdoc/>
    public sealed override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(start =>
        {
            if (Api.Of(start.Compilation) is { } api) Watch(start, api);
        });
    }

    /// <summary>Registers what the rule looks at, in a compilation that uses Raceway.</summary>
    private protected abstract void Watch(CompilationStartAnalysisContext context, Api api);

    /// <summary>Reports what was found, unless the code is there to show that it fails.</summary>
    private protected static void Found(OperationAnalysisContext context, DiagnosticDescriptor rule, IOperation where, params object[] what)
    {
        if (!IsToFail(where)) context.ReportDiagnostic(Diagnostic.Create(rule, where.Syntax.GetLocation(), what));
    }

    // A lambda that is given to a method by the name of Throws: a test expects the exception.
    private static bool IsToFail(IOperation operation)
    {
        for (IOperation? at = operation; at is not null; at = at.Parent)
        {
            if (at is IAnonymousFunctionOperation { Parent: IDelegateCreationOperation made }
                && Code.Outermost(made).Parent is IArgumentOperation { Parent: IInvocationOperation call }
                && call.TargetMethod.Name.StartsWith("Throw", StringComparison.Ordinal)) return true;
        }

        return false;
    }

    private protected static string? PageOf(string id) => s_pages is null ? null : $"{s_pages}{id}.md";
}
