{{/*
Permissions in the namespaces that the operator reconciles. Server-side apply needs patch, and create for a new object; the operator reads
by list and watch, into caches. A label cannot narrow a permission: where the operator watches Secrets, it watches their names and versions, the
values only of those with the label x402.svc.dev/watch. It gets those that a resource names.
*/}}
{{- define "stellar-x402.secretRules" -}}
# patch: the finalizer of both Secrets while a pool moves to another sponsor, and of the Secret with the keys of its channels.
# {{ if .Values.secrets.create }}create: that one, for a sponsor whose key is in no Secret. {{ end }}The operator changes nothing else of a Secret, and deletes none.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, patch{{ if .Values.secrets.create }}, create{{ end }}{{ if include "stellar-x402.watchesSecrets" . }}, list, watch{{ end }}]
{{- end }}
{{- define "stellar-x402.rules" -}}
- apiGroups: [x402.svc.dev]
  resources: [facilitators]
  verbs: [list, watch]
- apiGroups: [x402.svc.dev]
  resources: [channelpools]
  verbs: [list, watch, patch]
- apiGroups: [x402.svc.dev]
  resources: [facilitators/status, channelpools/status]
  verbs: [patch]
# For owner references that block deletion: some clusters require it.
- apiGroups: [x402.svc.dev]
  resources: [facilitators/finalizers, channelpools/finalizers]
  verbs: [update]
# Whether a namespace terminates: then the clean-up of a pool in it has to end.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get]
{{- if or .Values.watchNamespaces (not .Values.secrets.namespaces) }}
{{ include "stellar-x402.secretRules" . }}
{{- end }}
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [configmaps, services]
  verbs: [list, watch, create, patch, delete]
# One for each Facilitator, deleted with it.
- apiGroups: [""]
  resources: [serviceaccounts]
  verbs: [list, watch, create, patch]
- apiGroups: [apps]
  resources: [deployments]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies, ingresses]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [gateway.networking.k8s.io]
  resources: [httproutes]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [monitoring.coreos.com]
  resources: [podmonitors, servicemonitors, prometheusrules]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch, list]
{{- end }}
