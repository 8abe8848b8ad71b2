using System.Diagnostics;
using System.Reflection;
using System.Text.RegularExpressions;
using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>What a debugger shows: its texts are evaluated by name, so the compiler does not check them.</summary>
public sealed partial class DebuggerTests
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    [Fact]
    public void DebuggerDisplay_OfPipelineRingAndStage_CanBeEvaluated()
    {
        Pipeline<int> pipeline = Build();

        Assert.Equal("Fused Created: 2 stages, backlog 1", Display(pipeline));
        Assert.Equal("Created: 2 stages, capacity 8", Display(pipeline.Ring));
        Assert.Equal("a: at -1, lag 1", Display(pipeline["a"]));
    }

    [Theory]
    [InlineData("Raceway.Rings")]
    [InlineData("Raceway.Pipelines")]
    public void DebuggerDisplay_OfEveryType_NamesMembersThatExist(string assembly)
    {
        foreach (Type type in Assembly.Load(assembly).GetTypes())
        {
            if (DisplayOf(type) is not { } display) continue;
            foreach (Match match in Expression().Matches(display))
            {
                Type at = type;
                foreach (string name in match.Groups["path"].Value.Split('.')) at = Find(at, name).PropertyType;
            }
        }
    }

    [Fact]
    public void DebuggerTypeProxy_OfAPipeline_ShowsItsStages()
    {
        Pipeline<int> pipeline = Build();
        var attribute = typeof(Pipeline<>).GetCustomAttribute<DebuggerTypeProxyAttribute>();
        Type proxy = Type.GetType(attribute!.ProxyTypeName, throwOnError: true)!.MakeGenericType(typeof(int));

        object view = Activator.CreateInstance(proxy, pipeline)!;

        Assert.Equal(RingState.Created, proxy.GetProperty("State")!.GetValue(view));
        Assert.Equal(1L, proxy.GetProperty("Backlog")!.GetValue(view));
        PropertyInfo stages = proxy.GetProperty("Stages")!;
        Assert.Equal(pipeline.Stages, Assert.IsType<Stage[]>(stages.GetValue(view)));
        Assert.Equal(
            DebuggerBrowsableState.RootHidden, stages.GetCustomAttribute<DebuggerBrowsableAttribute>()!.State);
    }

    private static Pipeline<int> Build()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8)
            .Stage("a", static (ref int _) => { })
            .Stage("b", static (ref int _) => { })
            .Build(Plan.Fused);
        pipeline.CreateProducer().Publish(1);
        return pipeline;
    }

    private static string Display(object shown)
    {
        Type type = shown.GetType();
        while (DisplayOf(type) is null) type = type.BaseType!;
        return Expression().Replace(DisplayOf(type)!, match =>
        {
            (Type Type, object Value) at = (type, shown);
            foreach (string name in match.Groups["path"].Value.Split('.'))
            {
                PropertyInfo member = Find(at.Type, name);
                at = (member.PropertyType, member.GetValue(at.Value)!);
            }

            return at.Value.ToString()!;
        });
    }

    private static string? DisplayOf(Type type) =>
        type.GetCustomAttribute<DebuggerDisplayAttribute>(inherit: false)?.Value;

    // By the declared type, as the debugger's own evaluator does it; an interface's members may be its bases'.
    private static PropertyInfo Find(Type type, string name)
    {
        for (Type? at = type; at is not null; at = at.BaseType)
            if (at.GetProperty(name, Any | BindingFlags.DeclaredOnly) is { } property) return property;
        return type.GetInterfaces().Select(each => each.GetProperty(name)).FirstOrDefault(found => found is not null)
            ?? throw new MissingMemberException(type.Name, name);
    }

    [GeneratedRegex(@"\{(?<path>[\w.]+)(,nq)?\}")]
    private static partial Regex Expression();
}
