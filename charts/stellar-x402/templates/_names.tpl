{{/* At most 63 characters, the limit of labels and Services. */}}
{{- define "stellar-x402.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "stellar-x402.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "stellar-x402.name" .) .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "stellar-x402.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* The full name and a suffix: (list . "suffix"). The suffix is never cut. */}}
{{- define "stellar-x402.named" -}}
{{- $root := index . 0 }}
{{- $suffix := index . 1 }}
{{- $room := sub 62 (len $suffix) | int }}
{{- printf "%s-%s" (include "stellar-x402.fullname" $root | trunc $room | trimSuffix "-") $suffix }}
{{- end }}

{{- define "stellar-x402.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "stellar-x402.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* A digest decides what is pulled; a tag beside it is for people who read the pod. */}}
{{- define "stellar-x402.image" -}}
{{- $name := .Values.image.repository }}
{{- with (default dict .Values.global).imageRegistry }}
{{- $name = printf "%s/%s" . $name }}
{{- end }}
{{- if and .Values.image.digest .Values.image.tag }}
{{- printf "%s:%s@%s" $name .Values.image.tag .Values.image.digest }}
{{- else if .Values.image.digest }}
{{- printf "%s@%s" $name .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $name (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The lists of the chart and of a chart that contains it, as imagePullSecrets of a pod; nothing when both are empty. */}}
{{- define "stellar-x402.pullSecrets" -}}
{{- $all := concat .Values.imagePullSecrets (default list (default dict .Values.global).imagePullSecrets) }}
{{- if $all }}
imagePullSecrets: {{- toYaml $all | nindent 2 }}
{{- end }}
{{- end }}

{{- define "stellar-x402.selectorLabels" -}}
app.kubernetes.io/name: {{ include "stellar-x402.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end }}

{{- define "stellar-x402.labels" -}}
{{ include "stellar-x402.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: stellar-x402
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The name of the kind if objects of the Prometheus operator are created, else nothing. */}}
{{- define "stellar-x402.monitors" -}}
{{- $root := index . 0 }}
{{- $kind := index . 1 }}
{{- $known := $root.Capabilities.APIVersions.Has (printf "monitoring.coreos.com/v1/%s" $kind) }}
{{- if or (eq $root.Values.monitoring.mode "Always") (and $known (eq $root.Values.monitoring.mode "Auto")) }}
{{- $kind }}
{{- end }}
{{- end }}

{{/* The label job of every series of the operator, by which its alerts select those of this release. */}}
{{- define "stellar-x402.job" -}}
{{- printf "%s/%s" .Release.Namespace (include "stellar-x402.fullname" .) }}
{{- end }}

{{- define "stellar-x402.watchesSecrets" -}}
{{- $watch := toString .Values.secrets.watch }}
{{- if or (eq $watch "true") (and (eq $watch "Auto") (or .Values.watchNamespaces .Values.secrets.namespaces)) }}true{{ end }}
{{- end }}
{{- define "stellar-x402.digestKeyName" -}}
{{ include "stellar-x402.named" (list . "digest-key") }}
{{- end }}
{{- define "stellar-x402.leaseName" -}}
{{- default (include "stellar-x402.fullname" .) .Values.leaderElection.leaseName }}
{{- end }}

{{/* The token, the certificate of the API server and the namespace, for a pod without an automatic mount. */}}
{{- define "stellar-x402.apiAccess" -}}
name: api-access
projected:
  defaultMode: 0440
  sources:
    - serviceAccountToken:
        path: token
        expirationSeconds: 3607
    - configMap:
        name: kube-root-ca.crt
        items:
          - key: ca.crt
            path: ca.crt
    - downwardAPI:
        items:
          - path: namespace
            fieldRef:
              fieldPath: metadata.namespace
{{- end }}
