using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Raceway.Rings;

namespace Raceway.Gates.Tests.Code;

/// <summary>What the compiler makes of the hot methods: no dictionary lookup, no covariance check, no call of a helper.</summary>
[Collection(AloneCollection.Name)]
public sealed class HotCodeTests
{
    [ListingFact]
    public async Task HotMethods_Compiled_CallNothingWithoutAReason()
    {
        IReadOnlyDictionary<string, CompiledMethod> methods = await Listing.Methods;
        var wrong = new StringBuilder();
        foreach (HotMethod hot in HotMethod.All)
        {
            CompiledMethod[] compiled = Find(methods, hot.Name);
            if (compiled.Length == 0) wrong.Append($"\n{hot.Name}: not in the listing; renamed, or never compiled to the end");
            string[] suspects = [.. compiled.SelectMany(method =>
                CallRules.Suspects(hot.LoopsOnly ? method.Loops() : method.Lines))];
            foreach (string call in suspects.Where(call => !hot.Allowed.Any(allowed => Covers(allowed, call))).Distinct())
                wrong.Append($"\n{hot.Name} ({compiled[0].Tier}): {call}");
            // What is allowed and does not happen would hide the next one that does.
            foreach (Allowance idle in hot.Allowed.Where(allowed => !suspects.Any(call => Covers(allowed, call))))
                wrong.Append($"\n{hot.Name}: no longer calls '{idle.Call}', take its allowance out");
        }

        Assert.True(wrong.Length == 0, $"Calls without a reason (see HotMethod):{wrong}");
    }

    [ListingFact]
    public async Task PublishLoops_Compiled_AreLoops()
    {
        IReadOnlyDictionary<string, CompiledMethod> methods = await Listing.Methods;

        // A loop that is not found would make everything in it free.
        Assert.All(
            HotMethod.All.Where(hot => hot.LoopsOnly),
            hot => Assert.All(Find(methods, hot.Name), method => Assert.InRange(method.Loops().Count, 10, method.Lines.Count - 1)));
    }

    [ListingTheory]
    [InlineData("StoreIntoArray", "CORINFO_HELP_ARRADDR_ST")]
    [InlineData("AddressInArray", "CORINFO_HELP_LDELEMA_REF")]
    [InlineData("TestType", "CORINFO_HELP_ISINSTANCEOF")]
    [InlineData("CastType", "CORINFO_HELP_CHKCAST")]
    [InlineData("LookUp[System.__Canon]", "CORINFO_HELP_RUNTIMEHANDLE")]
    [InlineData("CallInterface", "interface Raceway.Rings.IEventHandler`1[long]:OnEvent")]
    [InlineData("CallVirtual", "virtual System.Object:GetHashCode")]
    [InlineData("Box", "CORINFO_HELP_NEW")]
    [InlineData("Clear", "System.SpanHelpers:Clear")]
    [InlineData("Copy", "System.SpanHelpers:Memmove")]
    [InlineData("StoreReference", "CORINFO_HELP_ASSIGN_REF")]
    public async Task BadCode_Compiled_IsSeen(string method, string call)
    {
        CompiledMethod bad = Assert.Single(Find(await Listing.Methods, $"Raceway.Codegen.BadCode:{method}"));

        Assert.Contains(CallRules.Suspects(bad.Lines), suspect => suspect.Contains(call, StringComparison.Ordinal));
    }

    private static bool Covers(Allowance allowed, string call) => call.Contains(allowed.Call, StringComparison.Ordinal);

    private static CompiledMethod[] Find(IReadOnlyDictionary<string, CompiledMethod> methods, string name) =>
        [.. methods.Values.Where(method => method.Name.StartsWith($"{name}(", StringComparison.Ordinal))];
}

/// <summary>A fact about the compiler's listing, where there is one to be judged.</summary>
internal sealed class ListingFactAttribute : FactAttribute
{
    public ListingFactAttribute([CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
        : base(file, line) => Skip = ListingIs.Inconclusive;
}

/// <inheritdoc cref="ListingFactAttribute"/>
internal sealed class ListingTheoryAttribute : TheoryAttribute
{
    public ListingTheoryAttribute([CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
        : base(file, line) => Skip = ListingIs.Inconclusive;
}

internal static class ListingIs
{
    /// <summary>Why nothing can be said here; null where something can.</summary>
    public static string? Inconclusive { get; } =
        RuntimeInformation.ProcessArchitecture != Architecture.X64 || !OperatingSystem.IsLinux()
            ? $"Inconclusive: allowances are for Linux on x64, this is {RuntimeInformation.RuntimeIdentifier}."
            : typeof(Ring).Assembly.GetCustomAttribute<DebuggableAttribute>() is { IsJITOptimizerDisabled: true }
                ? "Inconclusive: this is a debug build, which is not optimized."
                : null;
}
